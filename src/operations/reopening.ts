import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import { badInput, failure } from '../errors/failures.js';
import { type Actor, callersAccess } from '../policies/access.js';
import { mentionedIn } from '../text/mentions.js';
import { permitEdit } from './permit.js';

export interface ReopenGoalInput {
  id?: string | null | undefined;
  message?: string | null | undefined;
  sendNotificationsToEveryone?: boolean | null | undefined;
  subscriberIds?: string[] | null | undefined;
}

/** Checks all that may keep the caller from reopening the goal; answers whether there is anything to reopen. */
export async function isToReopen(context: Context, goalId: string, input: ReopenGoalInput): Promise<boolean> {
  const { db, actor } = context;
  const [goal] = await Promise.all([
    db.goal.findFirst({
      where: { id: goalId, companyId: actor.companyId },
      select: { closedAt: true, archivedAt: true, ...callersAccess(actor) },
    }),
    requirePeople(context, input.subscriberIds ?? []),
  ]);
  permitEdit('goal', goalId, goal ?? undefined);
  if (goal?.archivedAt) throw failure('GOAL_ARCHIVED', { id: goalId });
  return goal?.closedAt != null;
}

/** Whom reopening subscribes to the thread, and how: rows of (person_id, type). */
export function subscribers(actor: Actor, { subscriberIds, message }: ReopenGoalInput): Prisma.Sql {
  const invited = [...new Set(subscriberIds)];
  return Prisma.sql`
    SELECT p.id AS person_id, CASE
      WHEN p.id = ${actor.personId} THEN 'joined'
      WHEN p.id = ANY(${invited}::text[]) THEN 'invited'
      ELSE 'mentioned' END::subscription_type AS type
    FROM people p
    WHERE p.company_id = ${actor.companyId}
      AND p.id = ANY(${[actor.personId, ...invited, ...mentionedIn(message)]}::text[])`;
}

/** Who may be told of it: rows of (person_id), from the steps `goal(space_id)` and `subscribed(person_id)`. */
export const audience = ({ sendNotificationsToEveryone }: ReopenGoalInput): Prisma.Sql => Prisma.sql`
  SELECT person_id FROM subscribed UNION
  SELECT m.person_id FROM goal JOIN space_members m ON m.space_id = goal.space_id
  WHERE ${sendNotificationsToEveryone ?? false}`;

/** The step `viewers` that notifying reads. */
export const viewersOf = (goalId: string): Prisma.Sql =>
  Prisma.sql`SELECT person_id, level FROM goal_access WHERE goal_id = ${goalId}`;

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
