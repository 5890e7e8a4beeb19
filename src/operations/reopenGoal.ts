import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import { badInput, goalArchived } from '../errors.js';
import { callersAccess, level } from '../policies/access.js';
import { mentionedIn } from './mentions.js';
import { notify } from './notify.js';
import { permitEdit } from './permit.js';

export interface ReopenGoalInput {
  id?: string | null | undefined;
  message?: string | null | undefined;
  sendNotificationsToEveryone?: boolean | null | undefined;
  subscriberIds?: string[] | null | undefined;
}

/**
 * Reopens a closed goal, posts the message and notifies; an open goal is left as it is.
 * Answers with the goal's id, or null when none was given. Decisions: "Reopen".
 */
export async function reopenGoal(context: Context, input: ReopenGoalInput): Promise<{ goalId: string | null }> {
  const { db, actor } = context;
  if (input.id == null) return { goalId: null };
  const goalId = input.id;
  const subscribers = [...new Set(input.subscriberIds)];

  const [goal] = await Promise.all([
    db.goal.findFirst({
      where: { id: goalId, companyId: actor.companyId },
      select: { closedAt: true, archivedAt: true, ...callersAccess(actor) },
    }),
    requirePeople(context, input.subscriberIds ?? []),
  ]);
  permitEdit('goal', goalId, goal ?? undefined);
  if (goal?.archivedAt) throw goalArchived(goalId);
  if (!goal?.closedAt) return { goalId };

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
      SELECT list.id, p.id, CASE
        WHEN p.id = ${actor.personId} THEN 'joined'
        WHEN p.id = ANY(${subscribers}::text[]) THEN 'invited'
        ELSE 'mentioned' END::subscription_type
      FROM list, people p
      WHERE p.company_id = ${actor.companyId}
        AND p.id = ANY(${[actor.personId, ...subscribers, ...mentionedIn(input.message)]}::text[])
      RETURNING person_id
    ), viewers AS (
      SELECT person_id, level FROM goal_access WHERE goal_id = ${goalId}
    ), notified AS (${notify(
      actor,
      Prisma.sql`SELECT person_id FROM subscribed UNION
        SELECT m.person_id FROM goal JOIN space_members m ON m.space_id = goal.space_id
        WHERE ${input.sendNotificationsToEveryone ?? false}`,
    )})
    SELECT id FROM goal`);
  // Someone was faster: look again and decide afresh.
  return reopened.length > 0 ? { goalId } : reopenGoal(context, input);
}

async function requirePeople({ db, actor }: Context, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await db.$queryRaw<{ id: string }[]>(
    Prisma.sql`SELECT id FROM people WHERE company_id = ${actor.companyId} AND id = ANY(${ids}::text[])`,
  );
  const known = new Set(rows.map(({ id }) => id));
  const errors = ids.flatMap((id, index) =>
    known.has(id)
      ? []
      : [
          {
            field: `input.subscriberIds[${index}]`,
            code: 'not_found' as const,
            message: `no person ${JSON.stringify(id)}`,
          },
        ],
  );
  if (errors.length > 0) throw badInput(errors);
}
