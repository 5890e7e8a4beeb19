import { once } from 'node:events';
import { type IncomingMessage, request as open, type Server } from 'node:http';
import { duplexPair, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

/** What is about a connection, and about the length of a body that whoever mounts the gateway may have replaced. */
const ofConnection = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['content-length', 'expect', 'host'],
]);
const withoutBody = [204, 205, 304];

/** Has a server respond to a Request over a connection within the process, so that every check and limit holds. */
export async function fetchFrom(server: Server, request: Request): Promise<Response> {
  if (request.bodyUsed)
    throw new TypeError('The body of the request has been read. Pass on a request whose body is unread.');
  const { pathname, search, host } = new URL(request.url);
  const [client, served] = duplexPair();
  client.once('close', () => served.destroy());
  served.once('close', () => client.destroy()).on('error', () => {});
  server.emit('connection', served);
  const { method, signal } = request;
  const headers = Object.fromEntries([...request.headers].filter(([name]) => !ofConnection.has(name)));
  const path = pathname + search;
  const sent = open({ method, path, headers: { ...headers, host }, signal, createConnection: () => client });
  const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
  sendBody(request.body, sent);
  const [received] = await responded;
  // The body that is not sent any more must not end the process, and neither must a response that is cut off.
  sent.on('error', () => {});
  return responseOf(received, method);
}

function sendBody(body: Request['body'], sent: ReturnType<typeof open>): void {
  if (!body) {
    sent.end();
    return;
  }
  const source = Readable.fromWeb(body as ReadableStream);
  source.once('error', (error) => sent.destroy(error)).pipe(sent);
  sent.once('close', () => source.destroy());
}

function responseOf(received: IncomingMessage, method: string): Response {
  const { statusCode: status = 500, statusMessage: statusText = '', headersDistinct } = received;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    if (name === 'content-length' || !ofConnection.has(name)) for (const value of values) headers.append(name, value);
  }
  if (method !== 'HEAD' && !withoutBody.includes(status)) {
    return new Response(Readable.toWeb(received) as BodyInit, { status, statusText, headers });
  }
  received.resume();
  return new Response(null, { status, statusText, headers });
}
