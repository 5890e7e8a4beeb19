import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { patience } from './eventually.js';
import { errorsOf, openApi } from './openapiValidator.js';
import type { Json } from './world.js';

/** A request that a receiver got. */
export interface Received {
  id: string;
  type: string;
  sequence: number;
  attempt: number;
  body: Json;
  text: string;
  headers: Record<string, string>;
  at: number;
}

type Respond = (received: Received, response: ServerResponse) => void;

export const acknowledge: Respond = (_received, response) => void response.writeHead(204).end();
export const refuse =
  (status: number, headers: Record<string, string> = {}, body = ''): Respond =>
  (_received, response) =>
    void response.writeHead(status, headers).end(body);

/** An endpoint on this machine that keeps what it gets, and responds as a test says. */
export async function startReceiver(respond: Respond = acknowledge) {
  const received: Received[] = [];
  const receiver = { respond, secrets: [] as string[] };
  const wrong: string[] = [];
  let [running, mostRunning] = [0, 0];
  const server = createServer(async (request, response) => {
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    response.once('close', () => {
      running -= 1;
    });
    const entry = await read(request).catch(() => undefined);
    if (!entry) return;
    received.push(entry);
    wrong.push(...problemsOf(entry, receiver.secrets));
    receiver.respond(entry, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    mostRunning: () => mostRunning,
    respondWith: (next: Respond) => {
      receiver.respond = next;
    },
    /** Resolves once it got so many requests. Fails after a while. */
    async until(count: number, milliseconds = 3 * patience()): Promise<Received[]> {
      const since = performance.now();
      while (received.length < count) {
        if (performance.now() - since > milliseconds) throw new Error(`got ${received.length} of ${count} requests`);
        await sleep(5);
      }
      return received;
    },
    /** From now on, each request must verify with each of these secrets. */
    verifyWith: (...secrets: string[]) => {
      receiver.secrets = secrets;
    },
    /** Fails if a request did not verify, or its body is not as the OpenAPI document describes it. */
    async close() {
      if (wrong.length > 0) throw new Error(`a webhook got what it should not:\n${wrong.join('\n')}`);
      server.closeAllConnections();
      server.close();
    },
  };
}

function problemsOf({ body, text, headers }: Received, secrets: string[]): string[] {
  const schema = openApi.webhooks[body.type]?.post.requestBody.content['application/json'].schema;
  const problems = schema ? errorsOf(schema, body) : [`the document has no type ${body.type}`];
  if (text.length >= 2_000) problems.push(`a body of ${text.length} characters`);
  if (headers['webhook-id'] !== body.id) problems.push(`webhook-id is ${headers['webhook-id']}`);
  for (const secret of secrets) {
    try {
      new Webhook(secret).verify(text, headers);
    } catch (error) {
      problems.push(`${(error as Error).message}: ${text}`);
    }
  }
  return problems;
}

async function read(request: IncomingMessage): Promise<Received> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const body: Json = JSON.parse(text);
  const headers = request.headers as Record<string, string>;
  const attempt = Number(headers['goalpost-attempt']);
  return { id: body.id, type: body.type, sequence: body.sequence, attempt, body, text, headers, at: performance.now() };
}
