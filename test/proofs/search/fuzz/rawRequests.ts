import fc from 'fast-check';
import { oddText } from './texts.js';
import type { Wire } from './wire.js';

const mostly = <Value>(good: fc.Arbitrary<Value>, ...odd: Value[]) =>
  fc.oneof({ weight: 15, arbitrary: good }, fc.constantFrom(...odd));

const one = (...values: string[]) => fc.constantFrom(...values);

const method = mostly(
  one('GET', 'POST', 'HEAD', 'OPTIONS'),
  'get',
  'FETCH',
  'TRACE',
  'PRI',
  '',
  '\0',
  'M-SEARCH',
  'QUERY',
);

const target = (paths: readonly string[]) =>
  mostly(
    one(...paths),
    '*',
    '',
    '//',
    '/%',
    '/%00',
    '/\xff',
    '/..%2f..%2f',
    '/a b',
    '/#x',
    '?',
    'http://evil.example/graphql',
    'http://[',
    'http://a b/',
    'https://x:99999/',
    'ftp://localhost/',
    'localhost:80',
    `/${'x'.repeat(20_000)}`,
    `/graphql?query=${'%7B'.repeat(3000)}`,
  );

const version = mostly(one('HTTP/1.1', 'HTTP/1.0'), 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1 x', 'HTTP/', '', 'ICY/1.1');

const host = mostly(
  one('Host: localhost'),
  'Host: a b',
  'Host: [::1',
  'Host: x:99999',
  'Host: a?b',
  'Host:',
  '',
  'Host: a\r\nHost: b',
  'host: \xff',
  'Host: evil@localhost',
);

const header = (token: string) =>
  fc.oneof(
    one(
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Accept: */*',
      'Connection: close',
      'Connection: keep-alive',
      'Connection: upgrade\r\nUpgrade: websocket',
      'Upgrade: h2c\r\nHTTP2-Settings: x\r\nConnection: Upgrade, HTTP2-Settings',
      'Expect: 100-continue',
      'Expect: 200-ok',
      'TE: trailers',
      'Trailer: X',
      'Cookie: a=b',
      'X-Forwarded-For: 1.2.3.4, \xff',
      'Forwarded: for=[',
    ),
    one(
      'Broken',
      ': x',
      'A b: 1',
      'X: a\0b',
      'X: a\r\n b',
      'X: \x7f',
      '\xff: 1',
      'X:',
      `X: ${'x'.repeat(17_000)}`,
      '__proto__: 1',
      'constructor: 1',
    ),
    fc
      .integer({ min: 1, max: 2500 })
      .map((count) => Array.from({ length: count }, (_, n) => `X-${n % 7}: ${n}`).join('\r\n')),
    oddText.map((text) => `X-Odd: ${text.slice(0, 2000)}`),
  );

const body = fc.oneof(
  one('', '{}', '{"query":"{__typename}"}', '{"id":null}', '\0'),
  oddText.map((text) => text.slice(0, 5000)),
);

const chunked = (text: string) => `${Buffer.byteLength(text, 'latin1').toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/** How a body is framed: the header for it, its bytes, and whether these are more, which the server takes for a request. */
type Framed = [header: string, bytes: string, isMore?: 'too long'];

const framed = body.chain((text) => {
  const length = Buffer.byteLength(text, 'latin1');
  const spoiledChunks = [
    `zz\r\n${text}\r\n0\r\n\r\n`,
    `1\r\n${text}\r\n0\r\n\r\n`,
    `${chunked(text).slice(0, -2)}X: y\r\n\r\n`,
    `ffffffffffffffff\r\n${text}`,
    `0;${'x'.repeat(20_000)}\r\n\r\n`,
    `5;a="\n"\r\n${text}`,
  ];
  return mostly<Framed>(
    fc.constantFrom<Framed>(
      [`Content-Length: ${length}`, text],
      ['Transfer-Encoding: chunked', chunked(text)],
      ['', ''],
    ),
    [`Content-Length: ${length + 5}`, text],
    ...(length > 0 ? [[`Content-Length: ${length - 1}`, text, 'too long'] satisfies Framed] : []),
    ['Content-Length: -1', text],
    ['Content-Length: 1e3', text],
    ['Content-Length: 99999999999999999999', text],
    [`Content-Length: ${length}\r\nContent-Length: ${length + 1}`, text],
    [`Content-Length: ${length}, ${length}`, text],
    [`Content-Length: ${length}\r\nTransfer-Encoding: chunked`, chunked(text)],
    ['Transfer-Encoding: gzip, chunked', chunked(text)],
    ['Transfer-Encoding: chunked, identity', chunked(text)],
    ['Transfer-Encoding: \x0bchunked', chunked(text)],
    ...spoiledChunks.map((chunks): Framed => ['Transfer-Encoding: chunked', chunks]),
  );
});

const lineEnd = mostly(fc.constant('\r\n'), '\n', '\r', '\r\r\n');

/** What a client may send on one connection: requests, more or less, one after the other, in pieces. */
export function rawWires(paths: readonly string[], token: string): fc.Arbitrary<Wire> {
  const request = fc
    .record({
      method,
      target: target(paths),
      version,
      host,
      headers: fc.array(header(token), { maxLength: 4 }),
      framed,
      lineEnd,
    })
    .map(({ framed: [framing, bytes, isMore], ...parts }) => {
      const lines = [`${parts.method} ${parts.target} ${parts.version}`, parts.host, ...parts.headers, framing];
      const head = `${lines.filter((line) => line !== '').join('\r\n')}\r\n\r\n`.replaceAll('\r\n', parts.lineEnd);
      return { methods: isMore ? [parts.method, ''] : [parts.method], bytes: head + bytes };
    });
  const noRequest = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => ({
    methods: [''],
    bytes: Buffer.from(bytes).toString('latin1'),
  }));
  const requests = fc.array(fc.oneof({ weight: 20, arbitrary: request }, noRequest), { minLength: 1, maxLength: 3 });
  const cuts = fc.array(fc.nat(3000), { maxLength: 3 });
  const isBroken = fc.nat(19).map((dice) => dice === 0);
  return fc.tuple(requests, cuts, fc.nat(9), isBroken).map(([sent, at, dice, breaksOff]) => {
    const all = sent.map(({ bytes }) => bytes).join('');
    // Sometimes the end never comes.
    const bytes = Buffer.from(dice === 0 ? all.slice(0, at[0] ?? 10) : all, 'latin1');
    const places = [0, ...at.filter((place) => place < bytes.length).sort((a, b) => a - b), bytes.length];
    const pieces = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
    return { pieces, methods: sent.flatMap((one) => one.methods), breaksOff };
  });
}
