// The floor: what the same operations cost with node:http, pg and prepared statements written by hand. It checks tokens,
// input, access and state as the gateway does, and writes in one transaction; it has no GraphQL, limits, telemetry or retries.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { mentionedIn } from '../../../src/text/mentions.js';
import { documentSql, fileSql, goalSql, pageSql } from './json.js';
import {
  deleteSql,
  documentToRestoreSql,
  fileToDeleteSql,
  goalToReopenSql,
  reopenSql,
  restoreSql,
  tokenSql,
  tokenUsedSql,
} from './sql.js';

interface Caller {
  companyId: string;
  personId: string;
  canWrite: boolean;
}
type Body = Record<string, unknown>;
type Operation = (caller: Caller, body: Body) => Promise<string>;

class Failure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly members: object = {},
  ) {
    super(detail);
  }
}

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL_SIZE ?? 10),
  idleTimeoutMillis: 0,
});
const appUrl = process.env.APP_URL ?? 'http://127.0.0.1:4000';
const run = (name: string, text: string, values: unknown[]) => pool.query({ name, text, values });
const used = new Map<string, number>();

async function authenticate(header: string | undefined): Promise<Caller> {
  const token = /^bearer +(gp_[\w-]{43})$/i.exec(header ?? '')?.[1];
  const row = token && (await run('token', tokenSql, [createHash('sha256').update(token).digest()])).rows[0];
  if (!row?.valid) throw new Failure(401, 'UNAUTHENTICATED', 'The token is missing, unknown, expired or revoked.');
  if (Date.now() - (used.get(row.id) ?? 0) > 60_000) {
    used.set(row.id, Date.now());
    run('used', tokenUsedSql, [row.company_id, row.id]).catch(() => {});
  }
  return { companyId: row.company_id, personId: row.person_id, canWrite: row.can_write };
}

function permit(what: string, id: unknown, row: { level: number } | undefined): asserts row {
  if (!row || row.level < 10) throw new Failure(404, 'NOT_FOUND', `There is no ${what} ${id}.`);
  if (row.level < 70)
    throw new Failure(403, 'FORBIDDEN', 'This needs edit access.', { required_access: 70, your_access: row.level });
}

const check = (valid: boolean, field: string) => {
  if (!valid) throw new Failure(400, 'BAD_USER_INPUT', `${field} is not valid.`);
};
const isText = (value: unknown) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 31;

const restore: Operation = async ({ companyId, personId }, body) => {
  const { document_id: id, version_number: number, expected_current_version: expected } = body;
  check(isText(id), 'document_id');
  check(isCount(number), 'version_number');
  check(isCount(expected), 'expected_current_version');
  const found = (await run('documentToRestore', documentToRestoreSql, [companyId, personId, id, number])).rows[0];
  permit('document', id, found);
  if (found.current_version !== expected) {
    throw new Failure(409, 'VERSION_CONFLICT', `The current version is ${found.current_version}.`, {
      expected_current_version: expected,
      current_version: found.current_version,
      current_version_editor: found.current_editor,
      current_version_inserted_at: found.current_at,
    });
  }
  if (found.source_title === null)
    throw new Failure(404, 'NOT_FOUND', `There is no version ${number} of document ${id}.`);
  const isEqual = found.source_title === found.name && found.source_content === found.content;
  const values = [companyId, personId, id, number, expected, mentionedIn(found.source_content)];
  const restored = isEqual ? null : (await run('restore', restoreSql, values)).rows[0]?.id;
  if (restored === undefined) return restore({ companyId, personId, canWrite: true }, body);
  return (await run('document', documentSql, [companyId, personId, id, restored, appUrl])).rows[0].json;
};

const reopen: Operation = async ({ companyId, personId }, body) => {
  const { id, message = null, subscriber_ids: invited = [], send_notifications_to_everyone: everyone = false } = body;
  check(isText(id), 'id');
  check(message === null || isText(message), 'message');
  check(Array.isArray(invited) && invited.every(isText), 'subscriber_ids');
  const found = (await run('goalToReopen', goalToReopenSql, [companyId, personId, id, invited])).rows[0];
  permit('goal', id, found);
  check(found.unknown.length === 0, 'subscriber_ids');
  if (found.archived) throw new Failure(409, 'GOAL_ARCHIVED', `Goal ${id} is archived.`);
  const mentioned = mentionedIn(typeof message === 'string' ? message : null);
  const values = [companyId, personId, id, message, invited, mentioned, everyone];
  if (found.closed) await run(`reopen ${everyone}`, reopenSql(everyone === true), values);
  return (await run('goal', goalSql, [companyId, personId, id])).rows[0].json;
};

const deleteFile: Operation = async ({ companyId, personId }, { file_id: id }) => {
  check(isText(id), 'file_id');
  permit('file', id, (await run('fileToDelete', fileToDeleteSql, [companyId, personId, id])).rows[0]);
  const deleted = await run('delete', deleteSql, [companyId, personId, id]);
  if (deleted.rowCount === 0) throw new Failure(404, 'NOT_FOUND', `There is no file ${id}.`);
  return (await run('file', fileSql, [companyId, personId, id])).rows[0].json;
};

const goal: Operation = async ({ companyId, personId }, { id }) => {
  check(isText(id), 'id');
  return (await run('goal', goalSql, [companyId, personId, id])).rows[0]?.json ?? '{"goal":null}';
};

const page: Operation = async ({ companyId, personId }, { first, after = null }) => {
  check(isCount(first) && Number(first) <= 50, 'first');
  const [key = '-infinity', id = ''] =
    after === null ? [] : JSON.parse(Buffer.from(String(after), 'base64url').toString());
  const { rows } = await run('page', pageSql, [companyId, personId, key, id, Number(first) + 1]);
  const nodes = rows.slice(0, Number(first));
  const last = nodes.at(-1);
  const end = last ? JSON.stringify(Buffer.from(JSON.stringify([last.key, last.id])).toString('base64url')) : null;
  const info = `{"has_next_page":${rows.length > nodes.length},"end_cursor":${end}}`;
  return `{"goals":{"nodes":[${nodes.map(({ json }) => json).join(',')}],"page_info":${info}}}`;
};

const root = '/api/external/v1';
const routes: Record<string, { operation: Operation; writes: boolean }> = {
  [`${root}/documents/restore_document_version`]: { operation: restore, writes: true },
  [`${root}/reopen_goal`]: { operation: reopen, writes: true },
  [`${root}/delete_resource_hub_file`]: { operation: deleteFile, writes: true },
  '/goal': { operation: goal, writes: false },
  '/goals': { operation: page, writes: false },
};

async function read(request: IncomingMessage): Promise<Body> {
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
