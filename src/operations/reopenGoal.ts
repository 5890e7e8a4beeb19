import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import { level } from '../policies/access.js';
import { notify } from './notify.js';
import { again } from './permit.js';
import { audience, isToReopen, type ReopenGoalInput, subscribers, viewersOf } from './reopening.js';

/**
 * Reopens a closed goal, posts the message and notifies; an open goal is left as it is.
 * Answers with the goal's id, or null when none was given. Decisions: "Reopen".
 */
export async function reopenGoal(
  context: Context,
  input: ReopenGoalInput,
  tries = 5,
): Promise<{ goalId: string | null }> {
  const { db, actor } = context;
  if (input.id == null) return { goalId: null };
  const goalId = input.id;
  if (!(await isToReopen(context, goalId, input))) return { goalId };

  const reopened = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH goal AS (
      UPDATE goals SET closed_at = NULL, closed_by_id = NULL, success = NULL, updated_at = now()
      WHERE id = ${goalId} AND closed_at IS NOT NULL AND archived_at IS NULL
        AND EXISTS (SELECT FROM goal_access
          WHERE goal_id = ${goalId} AND person_id = ${actor.personId} AND level >= ${level.edit})
      RETURNING id, space_id
    ), activity AS (
      INSERT INTO activities (action, author_id, goal_id)
      SELECT 'goal_reopened', ${actor.personId}, id FROM goal RETURNING id
    ), thread AS (
      INSERT INTO comment_threads (activity_id, message) SELECT id, ${input.message ?? null} FROM activity RETURNING id
    ), list AS (
      INSERT INTO subscription_lists (thread_id, send_to_everyone)
      SELECT id, ${input.sendNotificationsToEveryone ?? false} FROM thread RETURNING id
    ), subscribed AS (
      INSERT INTO subscriptions (subscription_list_id, person_id, type)
      SELECT list.id, s.person_id, s.type FROM list, (${subscribers(actor, input)}) s
      RETURNING person_id
    ), viewers AS (${viewersOf(goalId)}), notified AS (${notify(actor, audience(input))})
    SELECT id FROM goal`);
  // Someone was faster: look again and decide afresh.
  return reopened.length > 0 ? { goalId } : reopenGoal(context, input, again(tries));
}
