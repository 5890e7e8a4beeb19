import { Prisma } from '../generated/client/client.js';
import type { ActivityAction } from '../generated/client/enums.js';
import { type Database, newId, type Transaction } from '../platform/postgres/index.js';
import type { Actor } from '../policies/access.js';
import { company } from './operation.js';

/** A token whose changes are taken back. */
export interface UndoneToken {
  companyId: string;
  tokenId: string;
  /** Whose name the undoing has. */
  authorId: string;
}

/** One thing that the token did, and what becomes of it. */
export interface Undoing {
  activityId: string;
  action: string;
  subjectId: string;
  name: string;
  insertedAt: Date;
  /** The activity that undoes it; null in a dry run, and if it is left as it is. */
  undoneBy: string | null;
  /** Why it is left as it is; null if it is undone, or would be. */
  left: string | null;
}

interface Done {
  id: string;
  action: ActivityAction;
  subjectId: string;
  name: string;
  insertedAt: Date;
  recordedAt: string;
}

/** Of each kind of record: its table, the column of an activity that names it, and the actions that decide its outcome. */
const kinds = {
  goal: { table: 'goals', column: 'goal_id', actions: ['goal_closed', 'goal_reopened'] },
  file: {
    table: 'resource_hub_files',
    column: 'file_id',
    actions: ['resource_hub_file_deleted', 'resource_hub_file_recovered'],
  },
  document: { table: 'resource_hub_documents', column: 'document_id', actions: ['document_version_restored'] },
} as const;

type Kind = keyof typeof kinds;

const kindOf = (action: ActivityAction): Kind => {
  if (action === 'goal_reopened') return 'goal';
  return action === 'document_version_restored' ? 'document' : 'file';
};

const undoable = [
  'goal_reopened',
  'resource_hub_file_deleted',
  'resource_hub_file_recovered',
  'document_version_restored',
];

/**
 * Revokes the token. Its writes hold a lock on its row: those under way are waited for, and found afterwards; those that
 * come later are refused. In a transaction of its own, so that it holds nothing that they wait for.
 */
export const revokeForUndo = (db: Database, { companyId, tokenId }: UndoneToken): Promise<void> =>
  db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM api_tokens WHERE company_id = ${companyId} AND id = ${tokenId} FOR UPDATE`;
    await tx.$executeRaw`
      UPDATE api_tokens SET revoked_at = now() WHERE company_id = ${companyId} AND id = ${tokenId} AND revoked_at IS NULL`;
  });

/** How many of the token's activities are read at a time. */
const batch = 500;

/** What the token did since then and nobody has undone, the newest first. */
async function* doneBy(db: Database, { companyId, tokenId }: UndoneToken, since: Date | null): AsyncGenerator<Done> {
  let before: Done | undefined;
  for (;;) {
    const older = before
      ? Prisma.sql`AND (a.recorded_at, a.id) < (${before.recordedAt}::timestamptz, ${before.id})`
      : Prisma.empty;
    const from = since ? Prisma.sql`AND a.recorded_at >= ${since}` : Prisma.empty;
    const found: Done[] = await db.$queryRaw<Done[]>(Prisma.sql`
      SELECT a.id, a.action::text AS action, coalesce(a.goal_id, a.file_id, a.document_id) AS "subjectId", a.name,
        a.inserted_at AS "insertedAt", a.recorded_at::text AS "recordedAt"
      FROM activities a
      WHERE a.company_id = ${companyId} AND a.token_id = ${tokenId} AND a.action::text = ANY(${undoable}) ${from} ${older}
        AND NOT EXISTS (SELECT u.id FROM activities u WHERE u.company_id = ${companyId} AND u.undoes_id = a.id)
      ORDER BY a.recorded_at DESC, a.id DESC LIMIT ${batch}`);
    yield* found;
    before = found.at(-1);
    if (found.length < batch) return;
  }
}

/** Whether an activity `x` is this token's, or undoes one of it. */
const isOurs = ({ companyId, tokenId }: UndoneToken, x: string) => {
  const alias = Prisma.raw(x);
  return Prisma.sql`(${alias}.token_id IS NOT DISTINCT FROM ${tokenId} OR EXISTS (
    SELECT o.id FROM activities o WHERE o.company_id = ${companyId} AND o.id = ${alias}.undoes_id AND o.token_id = ${tokenId}))`;
};

/**
 * The later activities on the record that somebody has built on it with: whose outcome counts now, and which neither are
 * the token's own nor undo one of these.
 */
const foreign = (token: UndoneToken, { id, recordedAt, subjectId, action }: Done) => {
  const { column, actions } = kinds[kindOf(action)];
  return Prisma.sql`FROM activities l
    WHERE l.company_id = ${token.companyId} AND l.${Prisma.raw(column)} = ${subjectId}
      AND l.action::text = ANY(${[...actions]})
      AND (coalesce(l.recorded_at, l.inserted_at), l.id) > (${recordedAt}::timestamptz, ${id})
      AND NOT ${isOurs(token, 'l')}`;
};

/** The condition that nobody has built on what the token did, and that all that it did to the record later is undone. */
const isOutcome = (token: UndoneToken, done: Done) => {
  const { companyId, tokenId } = token;
  const { column } = kinds[kindOf(done.action)];
  const { id, recordedAt, subjectId } = done;
  return Prisma.sql`NOT EXISTS (SELECT l.id ${foreign(token, done)})
    AND NOT EXISTS (SELECT t.id FROM activities t
      WHERE t.company_id = ${companyId} AND t.${Prisma.raw(column)} = ${subjectId} AND t.token_id = ${tokenId}
        AND (t.recorded_at, t.id) > (${recordedAt}::timestamptz, ${id})
        AND NOT EXISTS (SELECT u.id FROM activities u WHERE u.company_id = ${companyId} AND u.undoes_id = t.id))
    AND NOT EXISTS (SELECT u.id FROM activities u WHERE u.company_id = ${companyId} AND u.undoes_id = ${id})`;
};

/** The versions after the one that the token restored which are neither its own nor of its undoing. */
const laterVersions = (token: UndoneToken, { id, subjectId }: Done) => Prisma.sql`FROM document_versions v
  JOIN document_versions mine ON mine.company_id = ${token.companyId} AND mine.document_id = v.document_id
    AND mine.id = (SELECT a.document_version_id FROM activities a WHERE a.company_id = ${token.companyId} AND a.id = ${id})
  WHERE v.company_id = ${token.companyId} AND v.document_id = ${subjectId} AND v.version_number > mine.version_number
    AND NOT EXISTS (SELECT x.id FROM activities x
      WHERE x.company_id = ${token.companyId} AND x.document_id = ${subjectId} AND x.document_version_id = v.id AND ${isOurs(token, 'x')})`;

/** The condition on the row `r` of the record that it is as the token left it. */
const isAsLeft = (token: UndoneToken, done: Done): Prisma.Sql => {
  switch (done.action) {
    case 'goal_reopened':
      return Prisma.sql`r.closed_at IS NULL AND r.archived_at IS NULL`;
    case 'resource_hub_file_deleted':
      return Prisma.sql`r.deleted_at IS NOT NULL`;
    case 'resource_hub_file_recovered':
      return Prisma.sql`r.deleted_at IS NULL`;
    default:
      return Prisma.sql`r.deleted_at IS NULL AND NOT EXISTS (SELECT v.id ${laterVersions(token, done)})`;
  }
};

/** The step `record(id, name)` that changes the record back, and the action that this is. */
function undoing(token: UndoneToken, done: Done): { steps: Prisma.Sql; action: ActivityAction; version?: true } {
  const { companyId, authorId } = token;
  const { id, subjectId } = done;
  const where = Prisma.sql`r.company_id = ${companyId} AND r.id = ${subjectId} AND ${isAsLeft(token, done)} AND ${isOutcome(token, done)}`;
  switch (done.action) {
    case 'goal_reopened':
      return {
        action: 'goal_closed',
        steps: Prisma.sql`undone AS (
            SELECT a.undone_success, a.undone_closed_at, a.undone_closed_by_id FROM activities a
            WHERE a.company_id = ${companyId} AND a.id = ${id} AND a.undone_closed_at IS NOT NULL
          ), record AS (
            UPDATE goals r SET closed_at = undone.undone_closed_at, closed_by_id = undone.undone_closed_by_id,
              success = undone.undone_success, updated_at = now()
            FROM undone WHERE ${where} RETURNING r.id, r.name
          )`,
      };
    case 'resource_hub_file_deleted':
      return {
        action: 'resource_hub_file_recovered',
        steps: Prisma.sql`record AS (
            UPDATE resource_hub_files r SET deleted_at = NULL, deleted_by_id = NULL WHERE ${where} RETURNING r.id, r.name
          )`,
      };
    case 'resource_hub_file_recovered':
      return {
        action: 'resource_hub_file_deleted',
        steps: Prisma.sql`record AS (
            UPDATE resource_hub_files r SET deleted_at = now(), deleted_by_id = ${authorId} WHERE ${where} RETURNING r.id, r.name
          )`,
      };
    default:
      return {
        action: 'document_version_restored',
        version: true,
        steps: Prisma.sql`source AS (
            SELECT v.title, v.content, v.version_number FROM document_versions v
            JOIN document_versions mine ON mine.company_id = ${companyId} AND mine.document_id = v.document_id
              AND mine.id = (SELECT a.document_version_id FROM activities a WHERE a.company_id = ${companyId} AND a.id = ${id})
            WHERE v.company_id = ${companyId} AND v.document_id = ${subjectId} AND v.version_number = mine.version_number - 1
          ), record AS (
            UPDATE resource_hub_documents r
            SET name = source.title, content = source.content, current_version = r.current_version + 1, updated_at = now()
            FROM source WHERE ${where}
            RETURNING r.id, r.name, r.content, r.current_version, source.version_number
          ), version AS (
            INSERT INTO document_versions AS v
              (company_id, id, document_id, version_number, previous_version_number, title, content, editor_id, origin,
                restored_from_version_number)
            SELECT company.id, ${newId()}, r.id, r.current_version, r.current_version - 1, r.name, r.content, ${authorId},
              'restored', r.version_number
            FROM company, record r RETURNING v.id
          )`,
      };
  }
}

/** Undoes one thing, unless somebody has built on it. The record is locked first, so that what others did is seen. */
function undoOne(
  db: Database,
  token: UndoneToken,
  done: Done,
): Promise<{ undoneBy: string | null; left: string | null }> {
  const { companyId, authorId } = token;
  const { table, column } = kinds[kindOf(done.action)];
  return db.$transaction(async (tx) => {
    await tx.$queryRaw(Prisma.sql`
      SELECT r.id FROM ${Prisma.raw(table)} r WHERE r.company_id = ${companyId} AND r.id = ${done.subjectId} FOR NO KEY UPDATE`);
    const { steps, action, version } = undoing(token, done);
    const versionColumn = version ? Prisma.sql`, document_version_id` : Prisma.empty;
    const [undone] = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`
      WITH ${company({ companyId } as Actor)}, ${steps}, activity AS (
        INSERT INTO activities AS a (company_id, id, action, author_id, ${Prisma.raw(column)}, name, origin, undoes_id${versionColumn})
        SELECT company.id, ${newId()}, ${action}::text::activity_action, ${authorId}, record.id, record.name, 'api', ${done.id}
          ${version ? Prisma.sql`, version.id` : Prisma.empty}
        FROM company, record ${version ? Prisma.sql`, version` : Prisma.empty} RETURNING a.id
      ), withdrawn AS (
        DELETE FROM notifications n USING activity
        WHERE n.company_id = ${companyId} AND n.activity_id = ${done.id} AND n.read_at IS NULL
      )
      SELECT id FROM activity`);
    return undone ? { undoneBy: undone.id, left: null } : { undoneBy: null, left: await reasonOf(tx, token, done) };
  });
}

/** Whether it would be undone, as far as its record is concerned. `later` are those of the record that would be undone before. */
async function wouldUndo(db: Database, token: UndoneToken, done: Done): Promise<boolean> {
  const [row] = await db.$queryRaw<{ isForeign: boolean }[]>(Prisma.sql`
    SELECT EXISTS (SELECT l.id ${foreign(token, done)})
      ${kindOf(done.action) === 'document' ? Prisma.sql`OR EXISTS (SELECT v.id ${laterVersions(token, done)})` : Prisma.empty} AS "isForeign"`);
  return row?.isForeign === false;
}

/** Whether the record is as the token left it with this, its last change to it. */
async function isStill(db: Database | Transaction, token: UndoneToken, done: Done): Promise<boolean> {
  const { table } = kinds[kindOf(done.action)];
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT r.id FROM ${Prisma.raw(table)} r
    WHERE r.company_id = ${token.companyId} AND r.id = ${done.subjectId} AND ${isAsLeft(token, done)}`);
  return rows.length > 0;
}

/** Why something is left as it is: who has built on it, if that is known. */
async function reasonOf(db: Database | Transaction, token: UndoneToken, done: Done): Promise<string> {
  const [later] = await db.$queryRaw<{ action: string; name: string; at: Date }[]>(Prisma.sql`
    SELECT l.action::text AS action, p.full_name AS name, l.inserted_at AS at
    FROM (SELECT l.action, l.author_id, l.inserted_at ${foreign(token, done)} ORDER BY l.inserted_at LIMIT 1) l
    JOIN people p ON p.company_id = ${token.companyId} AND p.id = l.author_id`);
  if (later) return `${later.action} by ${later.name} at ${later.at.toISOString()}`;
  return 'it has been changed since';
}

export interface UndoOptions {
  since: Date | null;
  dryRun: boolean;
}

/** Undoes what the token did, newest first, and yields each with its outcome. Decisions: "Taking back". */
export async function* undoChanges(
  db: Database,
  token: UndoneToken,
  { since, dryRun }: UndoOptions,
): AsyncGenerator<Undoing> {
  // In a dry run nothing is undone before what is older: the records of which something is left, or has been looked at.
  const seen = new Map<string, boolean>();
  for await (const done of doneBy(db, token, since)) {
    const { id: activityId, action, subjectId, name, insertedAt } = done;
    const shown = { activityId, action, subjectId, name, insertedAt };
    if (!dryRun) {
      yield { ...shown, ...(await undoOne(db, token, done)) };
      continue;
    }
    const record = `${kindOf(action)} ${subjectId}`;
    const before = seen.get(record) ?? (await isStill(db, token, done));
    const would = before && (await wouldUndo(db, token, done));
    seen.set(record, would);
    yield { ...shown, undoneBy: null, left: would ? null : await reasonOf(db, token, done) };
  }
}

/** Disables the webhooks that the token made since then. Returns them. */
export const disableWebhooksOf = (
  db: Database,
  { companyId, tokenId }: UndoneToken,
  { since, dryRun }: UndoOptions,
) => {
  const made = Prisma.sql`w.company_id = ${companyId} AND w.token_id = ${tokenId} AND w.disabled_at IS NULL
    ${since ? Prisma.sql`AND w.inserted_at >= ${since}` : Prisma.empty}`;
  return db.$queryRaw<{ id: string; url: string }[]>(
    dryRun
      ? Prisma.sql`SELECT w.id, w.url FROM webhooks w WHERE ${made} ORDER BY w.id`
      : Prisma.sql`UPDATE webhooks w SET disabled_at = now(), disabled_reason = 'operator', epoch = w.epoch + 1
          WHERE ${made} RETURNING w.id, w.url`,
  );
};
