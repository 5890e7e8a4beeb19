import type { Context } from '../context.js';
import { badInput, failure, mostNamed, quoted } from '../platform/failures/index.js';
import { newId, newIds, sql, textList } from '../platform/postgres/index.js';
import { callersAccess, keyOf } from '../policies/access.js';
import { audience, goalAccess, membersMayView, type ReopenAudience, subscribers } from '../policies/recipients.js';
import { declare } from './declaration.js';
import {
  loadState,
  lockedRecord,
  mentionsOf,
  nothingNamed,
  nothingPreviewed,
  notify,
  type Outcome,
  type Preview,
  permitEdit,
  type ReadRecord,
  recorded,
  requireState,
  retry,
  unchanged,
  write,
} from './operation.js';

interface ReopenGoalInput {
  id?: string | null | undefined;
  message?: string | null | undefined;
  sendNotificationsToEveryone?: boolean | null | undefined;
  subscriberIds?: string[] | null | undefined;
}

/** Loads the state of a goal and the people that reopening it concerns. Throws 400, 404, 403 or 409 (archived). */
async function loadGoalToReopen(
  context: Context,
  goalId: string,
  { message, sendNotificationsToEveryone, subscriberIds }: ReopenGoalInput,
): Promise<{ isClosed: boolean; audience: ReopenAudience }> {
  const { db, actor } = context;
  const [goal] = await Promise.all([
    db.goal.findUnique({
      where: keyOf(actor, goalId),
      select: { closedAt: true, archivedAt: true, ...callersAccess(actor) },
    }),
    requirePeople(context, subscriberIds ?? []),
  ]);
  permitEdit('goal', goalId, goal);
  if (goal.archivedAt) throw failure('GOAL_ARCHIVED', { id: goalId });
  const audience = {
    goalId,
    invited: [...new Set(subscriberIds)],
    mentioned: goal.closedAt ? await mentionsOf(context, message) : [],
    everyone: sendNotificationsToEveryone ?? false,
  };
  return { isClosed: goal.closedAt !== null, audience };
}

async function requirePeople(context: Context, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const { db, actor } = context;
  const rows = await db.$queryRaw<{ id: string }[]>(
    sql`SELECT id FROM people WHERE company_id = ${actor.companyId} AND id = ANY(${textList([...new Set(ids)])})`,
  );
  const existing = new Set(rows.map(({ id }) => id));
  const unknown = [...ids.entries()].filter(([, id]) => !existing.has(id)).slice(0, mostNamed + 1);
  if (unknown.length === 0) return;
  const errors = unknown.map(([index, id]) => ({
    field: `input.subscriberIds[${index}]`,
    code: 'not_found' as const,
    message: `no person ${quoted(id)}`,
  }));
  throw badInput(errors, context);
}

/** Reopens a closed goal, posts the message and notifies people. Throws 400, 404, 403 or 409. */
export async function reopenGoal<Goal>(
  context: Context,
  input: ReopenGoalInput,
  expectedState: string | null | undefined,
  read: ReadRecord<Goal>,
): Promise<Outcome<Goal>> {
  const { id: goalId } = input;
  if (goalId == null) return nothingNamed;
  const { db, actor } = context;
  const { companyId } = actor;
  const record = { kind: 'goal', id: goalId } as const;
  const closed = {
    condition: sql`r.closed_at IS NOT NULL AND r.archived_at IS NULL`,
    columns: sql`, r.success, r.closed_at, r.closed_by_id`,
  };
  return retry(context, async () => {
    const { isClosed, audience: people } = await loadGoalToReopen(context, goalId, input);
    await requireState(context, record, expectedState);
    if (!isClosed) return unchanged(await read(db, goalId));

    const activityId = newId();
    const statement = sql`
    WITH ${lockedRecord(actor, record, expectedState, closed)}, goal AS (
      UPDATE goals g
      SET closed_at = NULL, closed_by_id = NULL, success = NULL, updated_at = before.at, outcome_activity_id = ${activityId}
      FROM before WHERE g.company_id = ${companyId} AND g.id = ${goalId} RETURNING g.id, g.space_id, g.name, ${membersMayView}
    ), ${recorded(context, {
      id: activityId,
      action: 'goal_reopened',
      record: 'goal',
      more: {
        columns: {
          undone_success: 'before.success',
          undone_closed_at: 'before.closed_at',
          undone_closed_by_id: 'before.closed_by_id',
        },
      },
    })}, thread AS (
      INSERT INTO comment_threads AS t (company_id, id, activity_id, message, inserted_at)
      SELECT company.id, ${newId()}, activity.id, ${input.message ?? null}, activity.inserted_at FROM company, activity RETURNING t.id
    ), list AS (
      INSERT INTO subscription_lists AS l (company_id, id, thread_id, send_to_everyone)
      SELECT company.id, ${newId()}, thread.id, ${people.everyone} FROM company, thread RETURNING l.id
    ), subscribed AS (
      INSERT INTO subscriptions AS s (company_id, id, subscription_list_id, person_id, type, inserted_at)
      SELECT p.company_id, ${newIds()}, list.id, p.person_id, p.type, activity.inserted_at FROM activity, list, (${subscribers(actor, people)}) p
      RETURNING s.person_id
    ), notified AS (${notify(actor, audience(actor, people), goalAccess(actor, people))})
    SELECT id FROM activity`;
    return write(context, statement, (tx) => read(tx, goalId));
  });
}

export interface ReopenGoalPreview extends Preview {
  /** What it would post. */
  message: string | null;
  audience: ReopenAudience;
}

const nobody: ReopenAudience = { goalId: '', invited: [], mentioned: [], everyone: false };

/** What reopenGoal would do with the same input. Makes the same checks, with the same errors, and writes nothing. */
export async function previewReopenGoal(context: Context, input: ReopenGoalInput): Promise<ReopenGoalPreview> {
  const { id: goalId } = input;
  if (goalId == null) return { ...nothingPreviewed, message: null, audience: nobody };
  const record = { kind: 'goal', id: goalId } as const;
  const state = await loadState(context, record);
  const { isClosed, audience } = await loadGoalToReopen(context, goalId, input);
  const changes = { closedAt: null, closedById: null, success: null };
  const message = isClosed ? (input.message ?? null) : null;
  return { record, wouldChange: isClosed, state, changes, message, audience };
}

export const goalReopening = declare({
  field: 'reopenGoal',
  title: 'Reopen a goal',
  action: 'goal_reopened',
  actions: { goal_reopened: { description: 'A closed goal was reopened.' } },
  undo: {
    action: 'goal_closed',
    steps: ({ change }) =>
      change(sql`closed_at = before.undone_closed_at, closed_by_id = before.undone_closed_by_id,
        success = before.undone_success, updated_at = before.at`),
    changes: async ({ db, actor }, activityId) => {
      const activity = await db.activity.findUniqueOrThrow({
        where: keyOf(actor, activityId),
        select: { undoneClosedAt: true, undoneClosedById: true, undoneSuccess: true },
      });
      return {
        closedAt: activity.undoneClosedAt,
        closedById: activity.undoneClosedById,
        success: activity.undoneSuccess,
      };
    },
  },
  reverses: ['goal_closed'],
  rest: {
    path: '/reopen_goal',
    selection: 'goal { ...GoalFields }',
    example: {
      id: 'goal-launch-mobile-app',
      message: 'We are not done yet',
      send_notifications_to_everyone: true,
      subscriber_ids: ['person-jonas-weber'],
    },
  },
  tool: { isDestructive: true, selection: 'goal { ...GoalFields }' },
  preview: {
    unchanged: 'The goal is open already.',
    sentence: 'Reopen the goal {goal.name}; notifies {notified.total_count} people',
    selection: `wouldChange state message goal { ...GoalFields } after { ...ChangedGoal }
      notified(first: 20) { ...PeopleFields } subscribed(first: 20) { ...PeopleFields }`,
  },
});
