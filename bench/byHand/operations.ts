// The operations by hand: `pg`, prepared statements, and the same checks and writes as the gateway has.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { mentionedIn } from '../../src/text/richText.js';
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

export interface Caller {
  companyId: string;
  personId: string;
  canWrite: boolean;
}
export type Input = Record<string, unknown>;
/** Returns JSON. */
export type Operation = (caller: Caller, input: Input) => Promise<string>;

export class Failure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly members: object = {},
  ) {
    super(detail);
  }

  /** What GraphQL servers add to the error. */
  get extensions() {
    return { code: this.code, ...this.members };
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

/** Finds the person of an `Authorization` header. */
export async function authenticate(header: string | undefined): Promise<Caller> {
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

/** The operations; `spelled` changes the statements that return records, for other names of their members. */
export function operations(spelled = (sql: string) => sql) {
  const records = {
    document: spelled(documentSql),
    goal: spelled(goalSql),
    file: spelled(fileSql),
    page: spelled(pageSql),
  };

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
    return (await run('document', records.document, [companyId, personId, id, restored, appUrl])).rows[0].json;
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
    const mentioned = mentionedIn(typeof message === 'string' ? message : '');
    const values = [companyId, personId, id, message, invited, mentioned, everyone];
    if (found.closed) await run(`reopen ${everyone}`, reopenSql(everyone === true), values);
    return (await run('goal', records.goal, [companyId, personId, id])).rows[0].json;
  };

  const deleteFile: Operation = async ({ companyId, personId }, { file_id: id }) => {
    check(isText(id), 'file_id');
    permit('file', id, (await run('fileToDelete', fileToDeleteSql, [companyId, personId, id])).rows[0]);
    const deleted = await run('delete', deleteSql, [companyId, personId, id]);
    if (deleted.rowCount === 0) throw new Failure(404, 'NOT_FOUND', `There is no file ${id}.`);
    return (await run('file', records.file, [companyId, personId, id])).rows[0].json;
  };

  const goal: Operation = async ({ companyId, personId }, { id }) => {
    check(isText(id), 'id');
    return (await run('goal', records.goal, [companyId, personId, id])).rows[0]?.json ?? '{"goal":null}';
  };

  const page: Operation = async ({ companyId, personId }, { first, after = null }) => {
    check(isCount(first) && Number(first) <= 50, 'first');
    const [key = '-infinity', id = ''] =
      after === null ? [] : JSON.parse(Buffer.from(String(after), 'base64url').toString());
    const { rows } = await run('page', records.page, [companyId, personId, key, id, Number(first) + 1]);
    const nodes = rows.slice(0, Number(first));
    const last = nodes.at(-1);
    const end = last ? JSON.stringify(Buffer.from(JSON.stringify([last.key, last.id])).toString('base64url')) : null;
    const info = `{"has_next_page":${rows.length > nodes.length},"end_cursor":${end}}`;
    return `{"goals":{"nodes":[${nodes.map(({ json }) => json).join(',')}],"page_info":${info}}}`;
  };

  return { restore, reopen, deleteFile, goal, page };
}
