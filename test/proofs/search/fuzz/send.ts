import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

/** A request as it is on the wire: its target may be no URL. */
export interface Fuzzed {
  method: string;
  target: string;
  headers: Record<string, string>;
  body?: Buffer | undefined;
}

export interface FuzzAnswer {
  status: number;
  headers: Headers;
  text: string;
}

const patience = 30_000;

/** A header that HTTP cannot carry is left out. */
export const carried = (headers: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (header): header is [string, string] => header[1] !== null && /^[\t\x20-\x7e\x80-\xff]*$/.test(header[1]),
    ),
  );

export async function send(port: number, { method, target, headers, body }: Fuzzed): Promise<FuzzAnswer> {
  const sent = request({ host: '127.0.0.1', port, method, path: target, headers, agent: false });
  sent.setTimeout(patience, () => sent.destroy(new Error(`no answer within ${patience} ms`)));
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  // What is refused before it was read may end the connection behind the answer.
  sent.on('error', () => {});
  const given = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return { status: response.statusCode ?? 0, headers: new Headers(given), text: await textOf(response) };
}
