import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import { newId, newIds } from '../database/query/newId.js';
import { audience, goalAccess, subscribers } from '../lists/reopenAudience.js';
import { level } from '../policies/access.js';
import { company } from './company.js';
import { loadGoalToReopen, type ReopenGoalInput } from './loadGoalToReopen.js';
import { notify } from './notify.js';
import { retry } from './retry.js';

export interface ReopenedGoal {
  /** Null when the input names no goal. */
  goalId: string | null;
  /** Null when nothing changed. */
  activityId: string | null;
}

/**
 * Reopens a closed goal, posts the message and notifies people. Leaves an open goal unchanged. Throws 400, 404, 403 or
 * 409 (archived). Decisions: "Reopen".
 */
export async function reopenGoal(context: Context, input: ReopenGoalInput): Promise<ReopenedGoal> {
  const { id: goalId } = input;
  return goalId == null ? { goalId: null, activityId: null } : retry(() => attempt(context, goalId, input));
}

async function attempt(context: Context, goalId: string, input: ReopenGoalInput): Promise<ReopenedGoal | undefined> {
  const { db, actor } = context;
  const { companyId, personId } = actor;
  const { isClosed, audience: people } = await loadGoalToReopen(context, goalId, input);
  if (!isClosed) return { goalId, activityId: null };

  const [activity] = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH ${company(actor)}, closed AS (
      SELECT success, closed_at, closed_by_id FROM goals
      WHERE company_id = ${companyId} AND id = ${goalId} AND closed_at IS NOT NULL AND archived_at IS NULL
        AND EXISTS (SELECT FROM goal_access
          WHERE company_id = ${companyId} AND goal_id = ${goalId} AND person_id = ${personId} AND level >= ${level.edit})
      FOR NO KEY UPDATE
    ), goal AS (
      UPDATE goals g SET closed_at = NULL, closed_by_id = NULL, success = NULL, updated_at = now()
      FROM closed WHERE g.company_id = ${companyId} AND g.id = ${goalId} RETURNING g.id, g.space_id, g.name
    ), activity AS (
      INSERT INTO activities AS a (company_id, id, action, author_id, goal_id, name, undone_success, undone_closed_at,
        undone_closed_by_id)
      SELECT company.id, ${newId()}, 'goal_reopened', ${personId}, goal.id, goal.name, closed.success, closed.closed_at,
        closed.closed_by_id
      FROM company, goal, closed RETURNING a.id
    ), thread AS (
      INSERT INTO comment_threads AS t (company_id, id, activity_id, message)
      SELECT company.id, ${newId()}, activity.id, ${input.message ?? null} FROM company, activity RETURNING t.id
    ), list AS (
      INSERT INTO subscription_lists AS l (company_id, id, thread_id, send_to_everyone)
      SELECT company.id, ${newId()}, thread.id, ${people.everyone} FROM company, thread RETURNING l.id
    ), subscribed AS (
      INSERT INTO subscriptions AS s (company_id, id, subscription_list_id, person_id, type)
      SELECT p.company_id, ${newIds()}, list.id, p.person_id, p.type FROM list, (${subscribers(actor, people)}) p
      RETURNING s.person_id
    ), notified AS (${notify(actor, audience(actor, people), goalAccess(actor, people))})
    SELECT id FROM activity`);
  return activity && { goalId, activityId: activity.id };
}
