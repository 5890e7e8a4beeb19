import { codeBlock, codeNodes, element, markOf, meaningOf } from './elements.js';
import { plainText } from './reading.js';
import { richText } from './richText.js';

/** The response headers worth seeing, in the order in which people read them. */
const shownHeaders = ['X-Request-Id', 'Idempotency-Replayed', 'RateLimit-Policy', 'RateLimit', 'Retry-After'];

/** A key for a change. Browsers have randomUUID on https and localhost only. */
export const newKey = () =>
  crypto.randomUUID?.() ??
  crypto.getRandomValues(new Uint8Array(16)).reduce((key, byte) => key + byte.toString(16), '');

/** Sends a change with a key of its own, or again with the same key. Throws if there is no response. */
export async function exchange({ path, body, token, key = newKey() }) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key };
  const start = performance.now();
  const response = await fetch(path, { method: 'POST', headers, body });
  const received = await response.json();
  const milliseconds = Math.round(performance.now() - start);
  const code = received.code ?? received.errors?.[0]?.extensions?.code;
  return { sent: { path, body, token, key }, response, received, milliseconds, code };
}

/** What was sent beside what came back, with status and time above. */
export function exchangeNodes({ sent, response, received, milliseconds, code }) {
  const status = element('strong', {
    className: code ? 'badge failed' : 'badge ok',
    textContent: `${response.status} ${response.statusText}`,
  });
  const line = element('p', { role: 'status' }, status, ` in ${milliseconds} ms`);
  if (code) line.append(' · ', meaningOf(code));
  const request = [
    `POST ${sent.path}\nAuthorization: Bearer $TOKEN\nContent-Type: application/json\n`,
    `Idempotency-Key: ${sent.key}\n\n${pretty(sent.body)}`,
  ].join('');
  const headers = shownHeaders.filter((name) => response.headers.has(name));
  const head = [
    `HTTP/1.1 ${response.status} ${response.statusText}`,
    ...headers.map((name) => `${name}: ${response.headers.get(name)}`),
  ];
  const text = `${head.join('\n')}\n\n${JSON.stringify(received, null, 2)}`;
  const side = (title, block) => element('section', {}, element('h4', { textContent: title }), block);
  const sides = element(
    'div',
    { className: 'exchange' },
    side('Sent', codeBlock('The request that was sent', codeNodes(request))),
    side('Received', codeBlock('The response', codeNodes(text, readable))),
  );
  return [line, sides];
}

/** JSON with a line for each field; anything else as it is. */
function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** A rich text as people read it, instead of the JSON that it is. */
function readable(match) {
  const [, string] = match;
  const text = string?.includes('{') ? JSON.parse(string) : '';
  if (!richText(text)) return markOf(match);
  const title = 'Rich text, as it reads. The response has it as ProseMirror JSON.';
  return element('span', { className: 'rich string', title, textContent: plainText(text) });
}
