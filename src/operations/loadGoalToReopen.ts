import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import { textList } from '../database/query/textList.js';
import { badInput, failure, mostNamed } from '../errors/failures.js';
import { quoted } from '../errors/quoted.js';
import type { ReopenAudience } from '../lists/reopenAudience.js';
import { callersAccess, keyOf } from '../policies/access.js';
import { mentionedIn } from '../text/mentions.js';
import { permitEdit } from './permit.js';

export interface ReopenGoalInput {
  id?: string | null | undefined;
  message?: string | null | undefined;
  sendNotificationsToEveryone?: boolean | null | undefined;
  subscriberIds?: string[] | null | undefined;
}

/** Loads the state of a goal and the people that reopening it concerns. Throws 400, 404, 403 or 409 (archived). */
export async function loadGoalToReopen(
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
    mentioned: mentionedIn(message),
    everyone: sendNotificationsToEveryone ?? false,
  };
  return { isClosed: goal.closedAt !== null, audience };
}

async function requirePeople(context: Context, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const { db, actor } = context;
  const rows = await db.$queryRaw<{ id: string }[]>(
    Prisma.sql`SELECT id FROM people WHERE company_id = ${actor.companyId} AND id = ANY(${textList([...new Set(ids)])})`,
  );
  const existing = new Set(rows.map(({ id }) => id));
  const errors = [...ids.entries()]
    .filter(([, id]) => !existing.has(id))
    .slice(0, mostNamed + 1)
    .map(([index, id]) => ({
      field: `input.subscriberIds[${index}]`,
      code: 'not_found' as const,
      message: `no person ${quoted(id)}`,
    }));
  if (errors.length > 0) throw badInput(errors, context);
}
