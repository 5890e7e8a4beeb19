import { codeBlock, codeNodes, element, meaningOf } from './elements.js';

const { token, requests } = JSON.parse(document.getElementById('settings').textContent);

/** A key for a change. Browsers have randomUUID on https and localhost only. */
const newKey = () =>
  crypto.randomUUID?.() ??
  crypto.getRandomValues(new Uint8Array(16)).reduce((key, byte) => key + byte.toString(16), '');

/** Sends a request with a key of its own, and returns what to show of its response. */
async function send({ path, body }, label) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': newKey() };
  const start = performance.now();
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const received = await response.json();
  const status = element('strong', {
    className: response.ok ? 'badge ok' : 'badge failed',
    textContent: `${response.status} ${response.statusText}`,
  });
  const line = element('p', { role: 'status' }, status, ` in ${Math.round(performance.now() - start)} ms`);
  if (received.code) line.append(' · ', meaningOf(received.code));
  return [line, codeBlock(label, codeNodes(JSON.stringify(received, null, 2)))];
}

for (const [index, block] of document.querySelectorAll('.example').entries()) {
  const run = block.querySelector('.run');
  if (!run) continue;
  const result = block.querySelector('.result');
  run.hidden = false;
  run.addEventListener('click', async () => {
    // One at a time. It is not `disabled`, which would take the focus away from the keyboard.
    if (run.ariaDisabled) return;
    run.ariaDisabled = 'true';
    const failed = ({ message }) => [element('p', { className: 'failed', textContent: `No response: ${message}` })];
    result.replaceChildren(...(await send(requests[index], run.ariaLabel.replace('Run', 'Response')).catch(failed)));
    run.ariaDisabled = null;
  });
}
