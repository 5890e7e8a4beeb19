import { Prisma } from '../generated/client/client.js';
import type { ActivityAction } from '../generated/client/enums.js';
import { type Database, newId } from '../platform/postgres/index.js';
import type { Actor } from '../policies/access.js';
import { subjectOf } from '../rules/activityActions.js';
import type { Inverse, Undone, UndoneToken } from './declaration.js';
import { type Operation, operations } from './index.js';
import { company, locked } from './operation.js';

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
  previousOutcomeId: string | null;
}

/**
 * Of each kind of record: its table, the column of an activity that names it, and the condition on its row `r` that an
 * operation could change it.
 */
const kinds = {
  goal: {
    table: Prisma.raw('goals'),
    column: Prisma.raw('goal_id'),
    isOpen: Prisma.sql`r.archived_at IS NULL AND r.removed_at IS NULL`,
  },
  file: {
    table: Prisma.raw('resource_hub_files'),
    column: Prisma.raw('file_id'),
    isOpen: Prisma.sql`r.removed_at IS NULL`,
  },
  document: {
    table: Prisma.raw('resource_hub_documents'),
    column: Prisma.raw('document_id'),
    isOpen: Prisma.sql`r.deleted_at IS NULL`,
  },
} as const;

const kindOf = (action: ActivityAction) => kinds[subjectOf(action)];

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
        a.inserted_at AS "insertedAt", a.recorded_at::text AS "recordedAt", a.previous_outcome_id AS "previousOutcomeId"
      FROM activities a
      WHERE a.company_id = ${companyId} AND a.token_id = ${tokenId} ${from} ${older}
        AND NOT EXISTS (SELECT u.id FROM activities u WHERE u.company_id = ${companyId} AND u.undoes_id = a.id)
      ORDER BY a.recorded_at DESC, a.id DESC LIMIT ${batch}`);
    yield* found;
    before = found.at(-1);
    if (found.length < batch) return;
  }
}

/**
 * What takes back each change that a token can make, unless somebody has built on it: then the record has the outcome
 * again that the activity replaced.
 */
const undoOf = new Map<ActivityAction, Operation['undo']>(operations.map(({ action, undo }) => [action, undo]));

/** The inverse of an action, or why there is none. Only another version of the gateway makes an action that is not known. */
const inverseOf = (action: ActivityAction): Operation['undo'] =>
  undoOf.get(action) ?? { cannotBeTakenBack: 'no operation of this version makes it' };

/** The steps that change the record back, if its outcome is still the one of this activity. */
function undoing(token: UndoneToken, { id, action, subjectId }: Done, inverse: Inverse): Prisma.Sql {
  const { companyId } = token;
  const { table, isOpen } = kindOf(action);
  const row = Prisma.sql`SELECT r.id FROM ${table} r
    WHERE r.company_id = ${companyId} AND r.id = ${subjectId} AND r.outcome_activity_id = ${id} AND ${inverse.isOpen ?? isOpen}`;
  const change: Undone['change'] = (changes, from = Prisma.sql`before`, more = Prisma.empty) => Prisma.sql`record AS (
      UPDATE ${table} r SET ${changes}, outcome_activity_id = before.previous_outcome_id
      FROM ${from} WHERE r.company_id = ${companyId} AND r.id = ${subjectId} RETURNING r.id, r.name, before.at ${more}
    )`;
  return Prisma.sql`${locked('held', row)}, before AS (
      SELECT a.previous_outcome_id, a.undone_success, a.undone_closed_at, a.undone_closed_by_id, a.document_version_id, held.at
      FROM activities a, held WHERE a.company_id = ${companyId} AND a.id = ${id}
    ), ${inverse.steps({ token, subjectId, change })}`;
}

/** Undoes one thing, unless somebody has built on it. */
async function undoOne(
  db: Database,
  token: UndoneToken,
  done: Done,
  inverse: Inverse,
): Promise<{ undoneBy: string | null; left: string | null }> {
  const { companyId, authorId } = token;
  const { column } = kindOf(done.action);
  const { action, hasVersion } = inverse;
  const versionColumn = hasVersion ? Prisma.sql`, document_version_id` : Prisma.empty;
  const [undone] = await db.$transaction((tx) =>
    tx.$queryRaw<{ id: string }[]>(Prisma.sql`
      WITH ${company({ companyId } as Actor)}, ${undoing(token, done, inverse)}, activity AS (
        INSERT INTO activities AS a
          (company_id, id, action, author_id, ${column}, name, origin, undoes_id, inserted_at${versionColumn})
        SELECT company.id, ${newId()}, ${action}::text::activity_action, ${authorId}, record.id, record.name, 'api', ${done.id},
          record.at ${hasVersion ? Prisma.sql`, version.id` : Prisma.empty}
        FROM company, record ${hasVersion ? Prisma.sql`, version` : Prisma.empty} RETURNING a.id
      ), withdrawn AS (
        DELETE FROM notifications n USING activity
        WHERE n.company_id = ${companyId} AND n.activity_id = ${done.id} AND n.read_at IS NULL
      )
      SELECT id FROM activity`),
  );
  if (undone) return { undoneBy: undone.id, left: null };
  // Another who undoes it at the same time may have been faster.
  const [other] = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT u.id FROM activities u WHERE u.company_id = ${companyId} AND u.undoes_id = ${done.id}`);
  if (other) return { undoneBy: other.id, left: null };
  return { undoneBy: null, left: await reasonOf(db, token, (await presentOf(db, token, done, inverse)).outcome) };
}

/** The activity that made the present outcome of a record, if that is known, and whether an operation could change it. */
async function presentOf(
  db: Database,
  { companyId }: UndoneToken,
  { action, subjectId }: Done,
  inverse: Inverse,
): Promise<{ outcome: string | null; isOpen: boolean }> {
  const { table, isOpen } = kindOf(action);
  const [row] = await db.$queryRaw<{ outcome: string | null; isOpen: boolean }[]>(Prisma.sql`
    SELECT r.outcome_activity_id AS outcome, ${inverse.isOpen ?? isOpen} AS "isOpen" FROM ${table} r
    WHERE r.company_id = ${companyId} AND r.id = ${subjectId}`);
  return row ?? { outcome: null, isOpen: false };
}

/** Why something is left as it is: who has made the present outcome, if that is known and not the token itself. */
async function reasonOf(db: Database, { companyId, tokenId }: UndoneToken, outcome: string | null): Promise<string> {
  const [later] = await db.$queryRaw<{ action: string; name: string; at: Date }[]>(Prisma.sql`
    SELECT a.action::text AS action, p.full_name AS name, a.inserted_at AS at
    FROM activities a JOIN people p ON p.company_id = ${companyId} AND p.id = a.author_id
    WHERE a.company_id = ${companyId} AND a.id = ${outcome} AND a.token_id IS DISTINCT FROM ${tokenId}`);
  return later ? `${later.action} by ${later.name} at ${later.at.toISOString()}` : 'it has been changed since';
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
  // In a dry run nothing is undone before what is older: what each record would be by then.
  const records = new Map<string, { outcome: string | null; isOpen: boolean }>();
  for await (const done of doneBy(db, token, since)) {
    const { id: activityId, action, subjectId, name, insertedAt } = done;
    const shown = { activityId, action, subjectId, name, insertedAt };
    const inverse = inverseOf(action);
    if ('cannotBeTakenBack' in inverse) {
      yield { ...shown, undoneBy: null, left: `it cannot be taken back: ${inverse.cannotBeTakenBack}` };
      continue;
    }
    if (!dryRun) {
      yield { ...shown, ...(await undoOne(db, token, done, inverse)) };
      continue;
    }
    const key = `${kindOf(action).table.sql} ${subjectId}`;
    const record = records.get(key) ?? (await presentOf(db, token, done, inverse));
    const would = record.isOpen && record.outcome === activityId;
    records.set(key, would ? { ...record, outcome: done.previousOutcomeId } : record);
    yield { ...shown, undoneBy: null, left: would ? null : await reasonOf(db, token, record.outcome) };
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
