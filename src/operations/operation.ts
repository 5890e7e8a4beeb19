import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.js';
import type { Goal, ResourceHubDocument, ResourceHubFile } from '../generated/client/client.js';
import type { ActivityAction } from '../generated/client/enums.js';
import { failure, notFound } from '../platform/failures/index.js';
import { emptySql, newIds, rawSql, type Sql, sql, type Transaction, textList } from '../platform/postgres/index.js';
import { type Access, type Actor, canEdit, canView, keyOf, level, levelOf } from '../policies/access.js';
import { recipients } from '../policies/recipients.js';
import { type ActivitySubject, subjectOf } from '../rules/activityActions.js';
import { mayMention } from '../text/richText.js';

/**
 * The step `company(id)` of a write. Citus runs an INSERT … SELECT on the node of the company alone only if `company_id`
 * is a column of a table, and no id is a default (prisma/README.md, "Tables and statements").
 */
export const company = ({ companyId }: Actor) =>
  sql`company AS NOT MATERIALIZED (SELECT id FROM companies WHERE id = ${companyId})`;

/**
 * The step `token(id)` of a write: the token of the caller, unless it has been revoked since it was looked up. Whoever
 * revokes it and takes back what it did waits for the writes that hold this lock, and finds what they have done.
 */
export const unrevokedToken = ({ companyId, tokenId }: Actor) =>
  sql`token AS (SELECT t.id FROM api_tokens t
    WHERE t.company_id = ${companyId} AND t.id = ${tokenId} AND t.revoked_at IS NULL FOR KEY SHARE)`;

/** A step that locks the row that it will change. `at` is read once it is locked: of two changes, the second is later. */
export const locked = (step: string, row: Sql) => sql`${rawSql(step)} AS (
      SELECT l.*, clock_timestamp()::timestamptz(3) AS at FROM (${row} FOR NO KEY UPDATE) l
    )`;

/** Requires that since the token was looked up it has not been revoked, nor its person suspended. Throws 401. */
export async function requireToken({ db, actor }: Pick<Context, 'db' | 'actor'>): Promise<void> {
  const token = await db.apiToken.findUnique({
    where: keyOf(actor, actor.tokenId),
    select: { revokedAt: true, person: { select: { suspendedAt: true } } },
  });
  if (!token || token.revokedAt || token.person.suspendedAt) throw failure('UNAUTHENTICATED');
}

/** The condition of a write that the caller may edit what is in the hub of the row with this alias. */
const mayEditHub = ({ companyId, personId }: Actor, alias: string) => sql`EXISTS (
          SELECT FROM resource_hub_access a WHERE a.company_id = ${companyId}
            AND a.resource_hub_id = ${rawSql(alias)}.resource_hub_id AND a.person_id = ${personId} AND a.level >= ${level.edit})`;

/** Requires edit access: below view the resource does not exist (404); below edit it may not be changed (403). */
export function permitEdit(what: string, id: string, row: Access | null | undefined): asserts row {
  if (!row || !canView(row)) throw notFound(what, id);
  if (canEdit(row)) return;
  const parent = row.goalId ? 'goal' : row.projectId ? 'project' : 'space';
  const accessOf = what === 'goal' ? what : parent;
  throw failure('FORBIDDEN', { requiredAccess: level.edit, yourAccess: levelOf(row), accessOf });
}

/** Reads a record as it is now; null if there is none. `folderId` is the folder that it was in before the change. */
export type ReadRecord<Record, Key = string> = (
  db: Context['db'],
  key: Key,
  folderId?: string | null,
) => Promise<Record | null>;

export interface Outcome<Record> {
  /** The record as it is now. Null when the input names none. */
  record: Record | null;
  /** Null when nothing changed. */
  activityId: string | null;
}

/** The outcome when the input names no record. */
export const nothingNamed = { record: null, activityId: null };

/** The outcome when nothing has to be changed. Undefined if the record has vanished meanwhile. */
export const unchanged = <Record>(record: Record | null): Outcome<Record> | undefined =>
  record === null ? undefined : { record, activityId: null };

/** Runs the statement of a write and reads the record. Undefined if it has changed nothing. */
export async function write<Record>(
  { db, noteChange }: Pick<Context, 'db' | 'noteChange'>,
  statement: Sql,
  read: (db: Context['db']) => Promise<Record | null>,
): Promise<Outcome<Record> | undefined> {
  // A read that failed with the statement rejects that, too; one that came later leaves it committed.
  const failed: unknown[] = [];
  const [[activity], record] = await db.$queryRawThen<{ id: string }[], Record | null>(statement, (tx) =>
    read(tx).catch((error) => {
      failed.push(error);
      return null;
    }),
  );
  if (activity) noteChange?.(activity.id);
  if (failed.length > 0) throw failed[0];
  return activity && { record, activityId: activity.id };
}

/** What an activity says besides who did what, when and how: its columns, and their values from the steps of the write. */
interface Recorded {
  id: string;
  action: ActivityAction;
  /** The step `…(id, name)` that has changed the record. */
  record: string;
  /** Values by their columns, and the steps that they are from. */
  more?: { columns: Record<string, string>; from?: string };
}

/** The step `activity(id, inserted_at)`: which token made the change, and what it replaced. Reads those of {@link lockedRecord}. */
export function recorded({ actor, surface }: Context, { id, action, record, more }: Recorded): Sql {
  const columns = [`${subjectOf(action)}_id`, 'name', ...Object.keys(more?.columns ?? {})];
  const values = [`${record}.id`, `${record}.name`, ...Object.values(more?.columns ?? {})];
  const from = ['company', 'token', record, 'before', ...(more?.from ? [more.from] : [])];
  const raw = (texts: string[]) => rawSql(texts.join(', '));
  return sql`activity AS (
      INSERT INTO activities AS a (company_id, id, action, author_id, token_id, surface, origin, inserted_at,
        previous_outcome_id, ${raw(columns)})
      SELECT company.id, ${id}, ${rawSql(`'${action}'`)}, ${actor.personId}, token.id, ${surface}, 'api', before.at,
        ${raw(['before.outcome_activity_id', ...values])}
      FROM ${raw(from)} RETURNING a.id, a.inserted_at
    )`;
}

const maximumAttempts = 10;

/** Runs an attempt until it has an outcome; one that loses a race returns undefined. 503 after ten in a row. */
export async function retry<Outcome>(
  context: Pick<Context, 'db' | 'actor'>,
  attempt: () => Promise<Outcome | undefined>,
): Promise<Outcome> {
  for (let attempts = 0; attempts < maximumAttempts; attempts += 1) {
    if (attempts > 1) await sleep(Math.random() * 10 * attempts);
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
    await requireToken(context);
  }
  throw failure('SERVICE_UNAVAILABLE', { unwritten: true });
}

/** Ids of the people whom a text mentions. Reads it as a whole in the thread for texts, outside of any transaction. */
export async function mentionsOf(
  { texts, actor, beforehand }: Context,
  text: string | null | undefined,
): Promise<string[]> {
  if (!text || !mayMention(text)) return [];
  return beforehand(text, async () => (await texts.whole(actor, 'mentioned', [text])) as string[]);
}

/** The last step of a write: notifies each recipient. Reads the steps `company` and `activity(id, inserted_at)`. */
export const notify = (actor: Actor, audience: Sql, access: Sql) => sql`
  INSERT INTO notifications (company_id, id, activity_id, person_id, inserted_at)
  SELECT company.id, ${newIds()}, activity.id, r.person_id, activity.inserted_at
  FROM company, activity, (${recipients(actor, audience, access)}) r`;

/** What the input of an operation on a file names. */
export interface NamedFile {
  fileId?: string | null | undefined;
}

export interface ChangedRecord {
  kind: ActivitySubject;
  id: string;
}

/** Columns of a record with their values. */
export type Columns = Partial<Goal & ResourceHubFile & ResourceHubDocument>;

/** What an operation would do now. */
export interface Preview {
  /** Null when the input names none. */
  record: ChangedRecord | null;
  wouldChange: boolean;
  /** What to expect when it is done. */
  state: string | null;
  /** What a reader of the record would see changed: numbers and the time of the change follow by themselves. */
  changes: Columns;
}

/** The preview when the input names no record. */
export const nothingPreviewed: Preview = { record: null, wouldChange: false, state: null, changes: {} };

/** What the input of a mutation names: the record that it changes, or an activity on that. */
export interface NamedRecord {
  kind: ActivitySubject | 'activity';
  id: string;
}

/**
 * Locks the records that several mutations of one request will change, until its transaction ends: by kind, then by id,
 * so that requests which name them in opposite orders wait for each other instead of deadlocking. Passes over those that
 * the caller may not edit: they wait for no one who holds these, and nobody waits for them.
 */
export async function lockChanges(
  { db, actor: { companyId, personId } }: { db: Transaction; actor: Actor },
  changes: readonly NamedRecord[],
): Promise<void> {
  const idsOf = (kind: NamedRecord['kind']) =>
    textList(changes.flatMap((change) => (change.kind === kind ? [change.id] : [])));
  const named = (kind: ActivitySubject) => sql`r.company_id = ${companyId} AND r.id = ANY(${idsOf(kind)} || ARRAY(
    SELECT c.${rawSql(`${kind}_id`)} FROM activities c WHERE c.company_id = ${companyId} AND c.id = ANY(${idsOf('activity')})))`;
  const byCaller = sql`a.company_id = ${companyId} AND a.person_id = ${personId} AND a.level >= ${level.edit}`;
  const hub = sql`EXISTS (SELECT FROM resource_hub_access a WHERE a.resource_hub_id = r.resource_hub_id AND ${byCaller})`;
  await db.$queryRaw(sql`
    SELECT id FROM (
      SELECT r.id FROM resource_hub_documents r
      WHERE ${named('document')} AND r.deleted_at IS NULL AND (r.state = 'published' OR r.author_id = ${personId}) AND ${hub}
      ORDER BY r.id FOR NO KEY UPDATE OF r
    ) documents
    UNION ALL SELECT id FROM (
      SELECT r.id FROM resource_hub_files r WHERE ${named('file')} AND ${hub} ORDER BY r.id FOR NO KEY UPDATE OF r
    ) files
    UNION ALL SELECT id FROM (
      SELECT r.id FROM goals r
      WHERE ${named('goal')} AND EXISTS (SELECT FROM goal_access a WHERE a.goal_id = r.id AND ${byCaller})
      ORDER BY r.id FOR NO KEY UPDATE OF r
    ) goals`);
}

type Kind = ActivitySubject;

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
  rawSql(`left(encode(sha256(convert_to(ROW(${textOf(kind, alias)})::text, 'UTF8')), 'hex'), 32)`);

/** The condition of a write that the record is as its caller expects, in the row with this alias; true without an expectation. */
export const isExpected = (kind: Kind, alias: string, expected: string | null | undefined): Sql =>
  expected == null ? sql`TRUE` : sql`${state(kind, alias)} = ${expected}`;

/**
 * The first steps of a write: `company`, `token`, and `before`, the row `r` of the record, locked, if it is as its caller
 * expects, and the caller may edit it.
 */
export function lockedRecord(
  actor: Actor,
  { kind, id }: ChangedRecord,
  expected: string | null | undefined,
  { condition, columns: more = emptySql }: { condition: Sql; columns?: Sql },
): Sql {
  const { companyId, personId } = actor;
  const mayEdit =
    kind === 'goal'
      ? sql`EXISTS (SELECT FROM goal_access
          WHERE company_id = ${companyId} AND goal_id = ${id} AND person_id = ${personId} AND level >= ${level.edit})`
      : mayEditHub(actor, 'r');
  const row = sql`
      SELECT r.outcome_activity_id ${more} FROM ${rawSql(tables[kind])} r
      WHERE r.company_id = ${companyId} AND r.id = ${id} AND ${condition}
        AND EXISTS (SELECT FROM token) AND ${isExpected(kind, 'r', expected)}
        AND ${mayEdit}`;
  return sql`${company(actor)}, ${unrevokedToken(actor)}, ${locked('before', row)}`;
}

/** The state of a record; null if there is none, or if it is a document that the caller may not edit. */
export async function loadState(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  { kind, id }: ChangedRecord,
): Promise<string | null> {
  const rows = await db.$queryRaw<{ state: string }[]>(sql`
    SELECT ${state(kind, 'r')} AS state FROM ${rawSql(tables[kind])} r
    WHERE r.company_id = ${actor.companyId} AND r.id = ${id} AND ${kind === 'document' ? mayEditHub(actor, 'r') : sql`TRUE`}`);
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
