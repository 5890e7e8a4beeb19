import { Prisma } from '../database/generated/client/client.js';
import { recipients } from '../operations/notify.js';
import { audience, type ReopenGoalInput, subscribers, viewersOf } from '../operations/reopening.js';
import type { Actor } from '../policies/access.js';
import { everywhere, type List } from './engine/list.js';

/** The people whom reopening the goal would notify or subscribe, by name; nobody when there is nothing to reopen. */
export const reopeningList = (actor: Actor, input: ReopenGoalInput, whom: 'notified' | 'subscribed'): List => {
  const goalId = input.id ?? '';
  return {
    name: `reopening.${whom}`,
    key: 'text',
    steps: Prisma.sql`goal AS (
        SELECT id, space_id FROM goals WHERE id = ${goalId} AND closed_at IS NOT NULL AND archived_at IS NULL
      ), subscribed AS (SELECT s.person_id FROM goal, (${subscribers(actor, input)}) s),
      viewers AS (${viewersOf(goalId)}), notified AS (${recipients(actor, audience(input))})`,
    branches: (_scopes, walk) => [
      Prisma.sql`SELECT ${everywhere} AS scope, 0 AS rank, name_key(p.full_name) AS key, p.id
        FROM ${Prisma.raw(whom)} w JOIN people p ON p.id = w.person_id
        WHERE TRUE ${walk({ key: Prisma.sql`name_key(p.full_name)`, id: Prisma.sql`p.id` })}`,
    ],
  };
};
