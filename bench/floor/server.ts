// The floor: what the same operations cost with node:http, pg and prepared statements written by hand. It checks tokens,
// input, access and state as the gateway does, and writes in one transaction; it has no GraphQL, limits, telemetry or retries.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { authenticate, Failure, type Input, type Operation, operations } from './operations.js';

const { restore, reopen, deleteFile, goal, page } = operations();
const root = '/api/external/v1';
const routes: Record<string, { operation: Operation; writes: boolean }> = {
  [`${root}/documents/restore_document_version`]: { operation: restore, writes: true },
  [`${root}/reopen_goal`]: { operation: reopen, writes: true },
  [`${root}/delete_resource_hub_file`]: { operation: deleteFile, writes: true },
  '/goal': { operation: goal, writes: false },
  '/goals': { operation: page, writes: false },
};

async function read(request: IncomingMessage): Promise<Input> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Failure(400, 'BAD_USER_INPUT', 'The body is no JSON.');
  }
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(body);
}

const server = createServer(async (request, response) => {
  try {
    const route = request.method === 'POST' ? routes[request.url ?? ''] : undefined;
    if (!route) throw new Failure(404, 'NOT_FOUND', 'There is no such path.');
    const caller = await authenticate(request.headers.authorization);
    if (route.writes && !caller.canWrite) throw new Failure(403, 'FORBIDDEN', 'The token is read-only.');
    send(response, 200, 'application/json', await route.operation(caller, await read(request)));
  } catch (error) {
    const { status, code, message, members } =
      error instanceof Failure ? error : new Failure(500, 'INTERNAL_SERVER_ERROR', 'Something went wrong.');
    if (status === 500) console.error(error);
    const problem = {
      type: `/errors/${code}`,
      title: code,
      status,
      detail: message,
      code,
      request_id: randomUUID(),
      ...members,
    };
    send(
      response,
      status,
      'application/problem+json',
      JSON.stringify(problem),
      status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {},
    );
  }
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit());
