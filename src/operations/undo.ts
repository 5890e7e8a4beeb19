import type { Context } from '../context.js';
import type { ActivityAction } from '../generated/client/enums.js';
import { failure, notFound } from '../platform/failures/index.js';
import { type Database, emptySql, newId, rawSql, type Sql, sql, type Transaction } from '../platform/postgres/index.js';
import { type Actor, canViewNameOfSubject, keyOf, level, subjectAccess } from '../policies/access.js';
import { subjectIn, subjectOf } from '../rules/activityActions.js';
import type { Inverse, Undone } from './declaration.js';
import { type Operation, operations } from './index.js';
import {
  company,
  isExpected,
  loadState,
  locked,
  type Preview,
  permitEdit,
  requireState,
  retry,
  unrevokedToken,
} from './operation.js';

/** A token whose changes are taken back. */
interface UndoneToken {
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

interface Change {
  id: string;
  action: ActivityAction;
  subjectId: string;
  /** Whether it has taken another change back. */
  isUndoing: boolean;
}

interface Done extends Change {
  name: string;
  insertedAt: Date;
  recordedAt: string;
  previousOutcomeId: string | null;
}

/** Of each kind: its table, the column of an activity, when an operation could change its row `r`, and the view of who may. */
const kinds = {
  goal: {
    table: rawSql('goals'),
    column: rawSql('goal_id'),
    isOpen: sql`r.archived_at IS NULL AND r.removed_at IS NULL`,
    access: sql`goal_access a WHERE a.goal_id = r.id`,
  },
  file: {
    table: rawSql('resource_hub_files'),
    column: rawSql('file_id'),
    isOpen: sql`r.removed_at IS NULL`,
    access: sql`resource_hub_access a WHERE a.resource_hub_id = r.resource_hub_id`,
  },
  document: {
    table: rawSql('resource_hub_documents'),
    column: rawSql('document_id'),
    isOpen: sql`r.deleted_at IS NULL`,
    access: sql`resource_hub_access a WHERE a.resource_hub_id = r.resource_hub_id`,
  },
} as const;

const kindOf = (action: ActivityAction) => kinds[subjectOf(action)];

/** Revokes the token. Its writes hold a lock on its row: those under way are waited for, later ones are refused. */
export const revokeForUndo = (db: Database, { companyId, tokenId }: UndoneToken): Promise<void> =>
  db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM api_tokens WHERE company_id = ${companyId} AND id = ${tokenId} FOR UPDATE`;
    await tx.$executeRaw`
      UPDATE api_tokens SET revoked_at = now() WHERE company_id = ${companyId} AND id = ${tokenId} AND revoked_at IS NULL`;
  });

/** How many of the token's activities are read at a time. */
const batch = 500;

/** What the token did since then and nobody has undone, the newest first. What it has undone of its own is as before. */
async function* doneBy(db: Database, { companyId, tokenId }: UndoneToken, since: Date | null): AsyncGenerator<Done> {
  let before: Done | undefined;
  for (;;) {
    const older = before
      ? sql`AND (a.recorded_at, a.id) < (${before.recordedAt}::timestamptz, ${before.id})`
      : emptySql;
    const from = since ? sql`AND a.recorded_at >= ${since}` : emptySql;
    const found: Done[] = await db.$queryRaw<Done[]>(sql`
      SELECT a.id, a.action::text AS action, coalesce(a.goal_id, a.file_id, a.document_id) AS "subjectId", a.name,
        a.inserted_at AS "insertedAt", a.recorded_at::text AS "recordedAt", a.previous_outcome_id AS "previousOutcomeId",
        a.undoes_id IS NOT NULL AS "isUndoing"
      FROM activities a
      WHERE a.company_id = ${companyId} AND a.token_id = ${tokenId} ${from} ${older}
        AND NOT EXISTS (SELECT u.id FROM activities u WHERE u.company_id = ${companyId} AND u.undoes_id = a.id)
        AND NOT EXISTS (SELECT o.id FROM activities o
          WHERE o.company_id = ${companyId} AND o.id = a.undoes_id AND o.token_id = ${tokenId})
      ORDER BY a.recorded_at DESC, a.id DESC LIMIT ${batch}`);
    yield* found;
    before = found.at(-1);
    if (found.length < batch) return;
  }
}

/** What takes back each change that a token can make, unless a later change depends on it. */
const undoOf = new Map<ActivityAction | null, Operation['undo']>(operations.map(({ action, undo }) => [action, undo]));

/** The inverse of a change, or why there is none. */
const inverseOf = ({ action, isUndoing }: Change): Operation['undo'] =>
  isUndoing
    ? { cannotBeTakenBack: 'it took another change back' }
    : (undoOf.get(action) ?? { cannotBeTakenBack: 'no operation of this version makes it' });

/** By whom and how a change is taken back. */
interface Undoer {
  companyId: string;
  authorId: string;
  tokenId: string | null;
  surface: string | null;
  /** More steps that the condition on the row `r` needs. */
  steps: Sql;
  condition: Sql;
}

/** The statement that changes the record back, if its outcome is still the one of this change. */
function undoing(
  { companyId, authorId, tokenId, surface, steps, condition }: Undoer,
  { id, action, subjectId }: Change,
  inverse: Inverse,
  activityId: string,
): Sql {
  const { table, column, isOpen } = kindOf(action);
  const row = sql`SELECT r.id FROM ${table} r
    WHERE r.company_id = ${companyId} AND r.id = ${subjectId} AND r.outcome_activity_id = ${id}
      AND ${inverse.isOpen ?? isOpen} AND ${condition}`;
  const change: Undone['change'] = (changes, from = sql`before`, more = emptySql) => sql`record AS (
      UPDATE ${table} r SET ${changes}, outcome_activity_id = before.previous_outcome_id
      FROM ${from} WHERE r.company_id = ${companyId} AND r.id = ${subjectId} RETURNING r.id, r.name, before.at ${more}
    )`;
  const [versionColumn, versionId, version] = inverse.hasVersion
    ? [sql`, document_version_id`, sql`, version.id`, sql`, version`]
    : [emptySql, emptySql, emptySql];
  return sql`
    WITH ${company({ companyId } as Actor)}, ${steps} ${locked('held', row)}, before AS (
      SELECT a.previous_outcome_id, a.undone_success, a.undone_closed_at, a.undone_closed_by_id, a.document_version_id, held.at
      FROM activities a, held WHERE a.company_id = ${companyId} AND a.id = ${id}
    ), ${inverse.steps({ companyId, authorId, subjectId, change })}, activity AS (
      INSERT INTO activities AS a
        (company_id, id, action, author_id, token_id, surface, ${column}, name, origin, undoes_id, inserted_at ${versionColumn})
      SELECT company.id, ${activityId}, ${inverse.action}::text::activity_action, ${authorId}, ${tokenId}, ${surface},
        record.id, record.name, 'api', ${id}, record.at ${versionId}
      FROM company, record ${version} RETURNING a.id
    ), withdrawn AS (
      DELETE FROM notifications n USING activity
      WHERE n.company_id = ${companyId} AND n.activity_id = ${id} AND n.read_at IS NULL
    )
    SELECT id FROM activity`;
}

/** Undoes one thing that a token did, unless a later change depends on it. */
async function undoOne(
  db: Database,
  { companyId, tokenId, authorId }: UndoneToken,
  done: Done,
  inverse: Inverse,
): Promise<{ undoneBy: string | null; left: string | null }> {
  const operator = {
    companyId,
    authorId,
    tokenId: null,
    surface: null,
    steps: emptySql,
    condition: sql`TRUE`,
  };
  const [undone] = await db.$transaction((tx) =>
    tx.$queryRaw<{ id: string }[]>(undoing(operator, done, inverse, newId())),
  );
  if (undone) return { undoneBy: undone.id, left: null };
  // Another who undoes it at the same time may have been faster.
  const [other] = await db.$queryRaw<{ id: string }[]>(sql`
    SELECT u.id FROM activities u WHERE u.company_id = ${companyId} AND u.undoes_id = ${done.id}`);
  if (other) return { undoneBy: other.id, left: null };
  const { outcome } = await presentOf(db, companyId, done, inverse);
  return { undoneBy: null, left: await reasonOf(db, { companyId, tokenId }, outcome) };
}

interface Present {
  /** The activity that made the present outcome of the record, if that is known. */
  outcome: string | null;
  /** Whether an operation could change the record. */
  isOpen: boolean;
  /** Whether the change is taken back already. */
  isUndone: boolean;
}

async function presentOf(
  db: Transaction,
  companyId: string,
  { id, action, subjectId }: Change,
  inverse: Inverse,
): Promise<Present> {
  const { table, isOpen } = kindOf(action);
  const [row] = await db.$queryRaw<Present[]>(sql`
    SELECT r.outcome_activity_id AS outcome, ${inverse.isOpen ?? isOpen} AS "isOpen",
      EXISTS (SELECT u.id FROM activities u WHERE u.company_id = ${companyId} AND u.undoes_id = ${id}) AS "isUndone"
    FROM ${table} r WHERE r.company_id = ${companyId} AND r.id = ${subjectId}`);
  return row ?? { outcome: null, isOpen: false, isUndone: false };
}

/** Why something is left as it is: who has made the present outcome, if that is known and not the token itself. */
async function reasonOf(
  db: Transaction,
  { companyId, tokenId }: { companyId: string; tokenId: string | null },
  outcome: string | null,
): Promise<string> {
  const [later] = await db.$queryRaw<{ action: string; name: string; at: Date }[]>(sql`
    SELECT a.action::text AS action, p.full_name AS name, a.inserted_at AS at
    FROM activities a JOIN people p ON p.company_id = ${companyId} AND p.id = a.author_id
    WHERE a.company_id = ${companyId} AND a.id = ${outcome} AND a.token_id IS DISTINCT FROM ${tokenId}::text`);
  return later ? `${later.action} by ${later.name} at ${later.at.toISOString()}` : 'it has been changed since';
}

/**
 * Undoes what the token did, newest first, and yields each with its outcome. What this version does not know is yielded as
 * left: passed over in silence, it would be believed to be taken back.
 */
export async function* undoChanges(
  db: Database,
  token: UndoneToken,
  { since, dryRun }: { since: Date | null; dryRun: boolean },
): AsyncGenerator<Undoing> {
  // In a dry run nothing is undone before what is older: what each record would be by then.
  const { companyId } = token;
  const records = new Map<string, Present>();
  for await (const done of doneBy(db, token, since)) {
    const { id: activityId, action, subjectId, name, insertedAt } = done;
    const shown = { activityId, action, subjectId, name, insertedAt };
    const inverse = inverseOf(done);
    if ('cannotBeTakenBack' in inverse) {
      yield { ...shown, undoneBy: null, left: `it cannot be taken back: ${inverse.cannotBeTakenBack}` };
      continue;
    }
    if (!dryRun) {
      yield { ...shown, ...(await undoOne(db, token, done, inverse)) };
      continue;
    }
    const key = `${kindOf(action).table.sql} ${subjectId}`;
    const record = records.get(key) ?? (await presentOf(db, companyId, done, inverse));
    const would = record.isOpen && record.outcome === activityId;
    records.set(key, would ? { ...record, outcome: done.previousOutcomeId } : record);
    yield { ...shown, undoneBy: null, left: would ? null : await reasonOf(db, token, record.outcome) };
  }
}

interface ChangeToUndo {
  activityId: string;
}

/** The change, and what takes it back. Throws 404, 403, or 409 if nothing can, or a later change depends on it. */
async function loadChange({ db, actor }: Context, { activityId: id }: ChangeToUndo) {
  const { companyId } = actor;
  const activity = await db.activity.findUnique({
    where: keyOf(actor, id),
    select: {
      action: true,
      goalId: true,
      fileId: true,
      documentId: true,
      undoesId: true,
      ...subjectAccess(actor),
    },
  });
  if (!activity || !canViewNameOfSubject(actor, activity)) throw notFound('activity', id);
  const { action, goalId, fileId, documentId, undoesId } = activity;
  const { goal, file, document } = activity;
  const kind = subjectIn(activity);
  const subjectId = goalId ?? fileId ?? documentId ?? '';
  permitEdit(kind, subjectId, goal ?? (file ?? document)?.resourceHub);
  const change: Change = { id, action, subjectId, isUndoing: undoesId !== null };
  const inverse = inverseOf(change);
  if ('cannotBeTakenBack' in inverse) {
    const instead = operations.find(({ reverses }) => reverses?.includes(action))?.field;
    throw failure('CANNOT_BE_UNDONE', { id, reason: inverse.cannotBeTakenBack, ...(instead && { instead }) });
  }
  const { outcome, isOpen, isUndone } = await presentOf(db, companyId, change, inverse);
  if (!isUndone) {
    if (outcome !== id) {
      const reason = await reasonOf(db, { companyId, tokenId: null }, outcome);
      throw failure('CANNOT_BE_UNDONE', { id, reason, ...(outcome && { laterChange: outcome }) });
    }
    if (!isOpen) throw failure('CANNOT_BE_UNDONE', { id, reason: `the ${kind} is archived or deleted` });
  }
  return { change, inverse, isUndone, record: { kind, id: subjectId } };
}

/** Takes one change back. Leaves one that is taken back already as it is. Throws 404, 403 or 409. */
export async function undoChange(
  context: Context,
  input: ChangeToUndo,
  expectedState: string | null | undefined,
): Promise<{ activityId: string | null }> {
  const { db, actor, surface } = context;
  const { companyId, personId, tokenId } = actor;
  return retry(context, async () => {
    const { change, inverse, isUndone, record } = await loadChange(context, input);
    await requireState(context, record, expectedState);
    if (isUndone) return { activityId: null };
    const { access } = kindOf(change.action);
    const condition = sql`EXISTS (SELECT FROM token) AND ${isExpected(record.kind, 'r', expectedState)}
      AND EXISTS (SELECT FROM ${access} AND a.company_id = ${companyId} AND a.person_id = ${personId} AND a.level >= ${level.edit})`;
    const caller = {
      companyId,
      authorId: personId,
      tokenId,
      surface,
      steps: sql`${unrevokedToken(actor)},`,
      condition,
    };
    const [undone] = await db.$queryRaw<{ id: string }[]>(undoing(caller, change, inverse, newId()));
    if (undone) context.noteChange?.(undone.id);
    return undone && { activityId: undone.id };
  });
}

export interface UndoChangePreview extends Preview {
  changeId: string;
  /** The action of the activity that taking it back records. */
  action: ActivityAction;
}

/** What undoChange would do now. Makes the same checks and writes nothing. Throws 404, 403 or 409. */
export async function previewUndoChange(context: Context, input: ChangeToUndo): Promise<UndoChangePreview> {
  const { change, inverse, isUndone, record } = await loadChange(context, input);
  const state = await loadState(context, record);
  const changes = await inverse.changes(context, change.id);
  return { record, changeId: change.id, wouldChange: !isUndone, state, changes, action: inverse.action };
}
