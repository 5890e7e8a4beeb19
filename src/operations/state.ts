import type { Context } from '../context.js';
import { Prisma } from '../generated/client/client.js';
import { failure } from '../platform/failures/index.js';
import { level } from '../policies/access.js';
import type { ChangedRecord } from './operation.js';

type Kind = ChangedRecord['kind'];

/** What the outcome of an operation depends on, of the record that it changes. The audience of a change is no part of it. */
const columns: Record<Kind, readonly string[]> = {
  goal: ['id', 'name', 'closed_at', 'closed_by_id', 'success', 'archived_at'],
  file: ['id', 'name', 'resource_hub_id', 'parent_folder_id', 'blob_id', 'deleted_at', 'deleted_by_id'],
  document: ['id', 'name', 'content', 'resource_hub_id', 'parent_folder_id', 'current_version', 'deleted_at'],
};

const tables: Record<Kind, string> = { goal: 'goals', file: 'resource_hub_files', document: 'resource_hub_documents' };

/** A row of the record as one text, in which a time does not depend on the settings of the connection. */
const textOf = (kind: Kind, alias: string) =>
  columns[kind]
    .map((name) => (/_at$/.test(name) ? `extract(epoch FROM ${alias}.${name})` : `${alias}.${name}`))
    .join(', ');

/** The state of the record in the row with this alias: a fingerprint. */
const state = (kind: Kind, alias: string) =>
  Prisma.raw(`left(encode(sha256(convert_to(ROW(${textOf(kind, alias)})::text, 'UTF8')), 'hex'), 32)`);

/** The condition of a write that the record is as its caller expects, in the row with this alias; true without an expectation. */
export const isExpected = (kind: Kind, alias: string, expected: string | null | undefined): Prisma.Sql =>
  expected == null ? Prisma.sql`TRUE` : Prisma.sql`${state(kind, alias)} = ${expected}`;

/**
 * The state of a record; null if there is none, or if it is a document that the caller may not edit, of which nothing
 * long is read. A preview reads it before what it shows, which so is never older.
 */
export async function loadState(
  { db, actor: { companyId, personId } }: Pick<Context, 'db' | 'actor'>,
  { kind, id }: ChangedRecord,
): Promise<string | null> {
  const mayEdit = Prisma.sql`EXISTS (SELECT FROM resource_hub_access a WHERE a.company_id = ${companyId}
    AND a.resource_hub_id = r.resource_hub_id AND a.person_id = ${personId} AND a.level >= ${level.edit})`;
  const rows = await db.$queryRaw<{ state: string }[]>(Prisma.sql`
    SELECT ${state(kind, 'r')} AS state FROM ${Prisma.raw(tables[kind])} r
    WHERE r.company_id = ${companyId} AND r.id = ${id} AND ${kind === 'document' ? mayEdit : Prisma.sql`TRUE`}`);
  return rows[0]?.state ?? null;
}

/** Requires that a record which the caller may edit is as expected. Throws 409. */
export async function requireState(
  context: Pick<Context, 'db' | 'actor'>,
  record: ChangedRecord,
  expected: string | null | undefined,
): Promise<void> {
  if (expected == null) return;
  const found = await loadState(context, record);
  if (found !== null && found !== expected) throw failure('STATE_CHANGED', { state: found });
}
