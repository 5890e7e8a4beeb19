import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import { audience, subscribers, viewers } from '../lists/reopenAudience.js';
import { level } from '../policies/access.js';
import { loadGoalToReopen, type ReopenGoalInput } from './loadGoalToReopen.js';
import { notify } from './notify.js';
import { retry } from './retry.js';

export interface ReopenedGoal {
  /** Null when the input names no goal. */
  goalId: string | null;
}

/**
 * Reopens a closed goal, posts the message and notifies people. Leaves an open goal unchanged. Throws 400, 404, 403 or
 * 409 (archived). Decisions: "Reopen".
 */
export async function reopenGoal(context: Context, input: ReopenGoalInput): Promise<ReopenedGoal> {
  const { id: goalId } = input;
  return goalId == null ? { goalId: null } : retry(() => attempt(context, goalId, input));
}

async function attempt(context: Context, goalId: string, input: ReopenGoalInput): Promise<ReopenedGoal | undefined> {
  const { db, actor } = context;
  const { companyId, personId } = actor;
  const { isClosed, audience: people } = await loadGoalToReopen(context, goalId, input);
  if (!isClosed) return { goalId };

  const reopened = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH goal AS (
      UPDATE goals SET closed_at = NULL, closed_by_id = NULL, success = NULL, updated_at = now()
      WHERE company_id = ${companyId} AND id = ${goalId} AND closed_at IS NOT NULL AND archived_at IS NULL
        AND EXISTS (SELECT FROM goal_access
          WHERE company_id = ${companyId} AND goal_id = ${goalId} AND person_id = ${personId} AND level >= ${level.edit})
      RETURNING id, space_id
    ), activity AS (
      INSERT INTO activities (company_id, action, author_id, goal_id)
      SELECT ${companyId}, 'goal_reopened', ${personId}, id FROM goal RETURNING id
    ), thread AS (
      INSERT INTO comment_threads (company_id, activity_id, message)
      SELECT ${companyId}, id, ${input.message ?? null} FROM activity RETURNING id
    ), list AS (
      INSERT INTO subscription_lists (company_id, thread_id, send_to_everyone)
      SELECT ${companyId}, id, ${people.everyone} FROM thread RETURNING id
    ), subscribed AS (
      INSERT INTO subscriptions (company_id, subscription_list_id, person_id, type)
      SELECT ${companyId}, list.id, s.person_id, s.type FROM list, (${subscribers(actor, people)}) s
      RETURNING person_id
    ), viewers AS (${viewers(actor, people)}), notified AS (${notify(actor, audience(actor, people))})
    SELECT id FROM goal`);
  return reopened.length > 0 ? { goalId } : undefined;
}
