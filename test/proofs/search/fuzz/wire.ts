import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Json } from '../../../support/world.js';

/** Bytes for one connection. */
export interface Wire {
  /** What is sent, in pieces. */
  pieces: Buffer[];
  /** The methods of the requests in it, in order. */
  methods: string[];
  /** Whether it is one request of which the server can know where it ends. */
  isWellFramed?: boolean;
  /** Whether the client breaks the connection off instead of waiting for the answers. */
  breaksOff?: boolean;
}

export interface WireAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** Whether the answer to this request has a body. */
  hasBody: boolean;
}

const patience = 5000;
/** A client that has waited this long for more ends its side: its request may be one that never ends. */
const silence = 200;

/** Sends the bytes, and reads until the server ends. Fails if that hangs: five seconds, and then some. */
export async function exchange(
  port: number,
  { pieces, methods, isWellFramed, breaksOff }: Wire,
): Promise<WireAnswer[]> {
  const socket = connect(port, '127.0.0.1');
  const received: Buffer[] = [];
  let isLate = false;
  // On a slow machine everything takes long: late is what has no end although two later requests have been answered.
  const judge = async () => {
    for (const _ of [1, 2]) await fetch(`http://127.0.0.1:${port}/readyz`);
    isLate = !socket.destroyed;
    socket.destroy();
  };
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const timer = setTimeout(() => void judge().catch(() => socket.destroy()), patience);
  if (!isWellFramed) socket.setTimeout(silence, () => socket.end());
  socket.on('data', (data) => received.push(data)).on('error', () => {});
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece);
    if (pieces.length > 1) await setImmediate();
  }
  if (breaksOff) socket.destroy();
  await closed;
  clearTimeout(timer);
  const bytes = Buffer.concat(received);
  if (isLate) throw new Error(`no end within ${patience} ms; received: ${bytes.toString('latin1').slice(0, 300)}`);
  return breaksOff ? [] : readAnswers(bytes, methods);
}

/** Reads answers as RFC 9112 frames them. */
function readAnswers(bytes: Buffer, methods: string[]): WireAnswer[] {
  const answers: WireAnswer[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${first} `)?.[1]);
    if (!status) throw new Error(`no HTTP answer: ${rest.toString('latin1').slice(0, 200)}`);
    const headers = new Headers();
    for (const line of lines)
      headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim());
    rest = rest.subarray(end + 4);
    if (status === 100) continue;
    // A request that the server could not read to its end may have a method that it does not know.
    const isOfHead = methods[answers.length] === 'HEAD' && !(status >= 400 && rest[0] === 0x7b);
    const hasBody = !isOfHead && status !== 204 && status !== 304;
    const [body, after] = hasBody ? bodyOf(rest, headers) : [Buffer.alloc(0), rest];
    answers.push({ status, headers, text: body.toString('utf8'), hasBody });
    rest = after;
  }
  return answers;
}

function bodyOf(bytes: Buffer, headers: Headers): [Buffer, Buffer] {
  if (headers.get('transfer-encoding') === 'chunked') return chunksOf(bytes);
  const length = headers.get('content-length');
  if (length === null) return [bytes, Buffer.alloc(0)];
  if (bytes.length < Number(length)) throw new Error(`the body has ${bytes.length} of ${length} bytes`);
  return [bytes.subarray(0, Number(length)), bytes.subarray(Number(length))];
}

function chunksOf(bytes: Buffer): [Buffer, Buffer] {
  const chunks: Buffer[] = [];
  for (let rest = bytes; ; ) {
    const end = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.subarray(0, end).toString(), 16);
    if (!(size >= 0) || rest.length < end + size + 4) throw new Error('the chunks of a body end too early');
    if (size === 0) return [Buffer.concat(chunks), rest.subarray(end + 4)];
    chunks.push(rest.subarray(end + 2, end + 2 + size));
    rest = rest.subarray(end + 4 + size);
  }
}

/** One well-framed request. A header that HTTP cannot carry is left out. */
export function frame(method: string, target: string, headers: Record<string, string | null>, body?: Buffer): Wire {
  const given = Object.entries({ Host: 'localhost', Connection: 'close', ...headers });
  const lines = given.filter(([, value]) => value !== null && /^[\t\x20-\x7e\x80-\xff]*$/.test(value));
  const length = body ? [`Content-Length: ${body.length}`] : [];
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    ...length,
    '',
    '',
  ];
  return {
    pieces: [Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body ?? Buffer.alloc(0)])],
    methods: [method],
    isWellFramed: true,
  };
}

/** How a request looks in a report: as `printf` would send it. */
export const shown = ({ pieces, breaksOff }: Wire): Json => ({
  pieces: pieces.map((piece) => piece.subarray(0, 3000).toString('latin1')),
  ...(breaksOff && { breaksOff }),
});
