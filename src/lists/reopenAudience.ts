import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';
import { everywhere, type List } from './engine/list.js';
import { recipients } from './recipients.js';

/** The people to subscribe or notify when a goal is reopened, by id. */
export interface ReopenAudience {
  goalId: string;
  invited: string[];
  mentioned: string[];
  /** Whether the members of the goal's space are notified too. */
  everyone: boolean;
}

/** The people that reopening subscribes to the thread: rows of (company_id, person_id, type). */
export const subscribers = (actor: Actor, { invited, mentioned }: ReopenAudience): Prisma.Sql => Prisma.sql`
  SELECT p.company_id, p.id AS person_id, CASE
    WHEN p.id = ${actor.personId} THEN 'joined'
    WHEN p.id = ANY(${invited}::text[]) THEN 'invited'
    ELSE 'mentioned' END::subscription_type AS type
  FROM people p
  WHERE p.company_id = ${actor.companyId} AND p.id = ANY(${named(actor, { invited, mentioned })}::text[])`;

const named = ({ personId }: Actor, { invited, mentioned }: Pick<ReopenAudience, 'invited' | 'mentioned'>) => [
  personId,
  ...invited,
  ...mentioned,
];

/** The people that reopening may notify: rows of (person_id). Reads the steps `goal` and `subscribed`. */
export const audience = ({ companyId }: Actor, { everyone }: ReopenAudience): Prisma.Sql => {
  const members = Prisma.sql`UNION
    SELECT m.person_id FROM goal JOIN space_members m ON m.company_id = ${companyId} AND m.space_id = goal.space_id`;
  return Prisma.sql`SELECT person_id FROM subscribed ${everyone ? members : Prisma.empty}`;
};

/** For more than so many people it is cheaper to find out the access of the whole company, in one join. */
const few = 100;

/** The step `viewers` that {@link recipients} reads: who of those who may be notified, or of all people, has access. */
export const viewers = (actor: Actor, people: ReopenAudience): Prisma.Sql => {
  const ids = named(actor, people);
  const isFew = !people.everyone && ids.length <= few;
  return Prisma.sql`SELECT person_id, level FROM goal_access
    WHERE company_id = ${actor.companyId} AND goal_id = ${people.goalId}
      ${isFew ? Prisma.sql`AND person_id = ANY(${ids}::text[])` : Prisma.empty}`;
};

/** The people that reopening the goal would notify or subscribe, by name. Empty if it cannot be reopened. */
export const reopenAudienceList = (actor: Actor, people: ReopenAudience, role: 'notified' | 'subscribed'): List => ({
  name: `reopening.${role}`,
  key: 'text',
  steps: Prisma.sql`goal AS (
      SELECT id, space_id FROM goals WHERE company_id = ${actor.companyId} AND id = ${people.goalId}
        AND closed_at IS NOT NULL AND archived_at IS NULL
    ), subscribed AS (SELECT s.person_id FROM goal, (${subscribers(actor, people)}) s),
    viewers AS (${viewers(actor, people)}), notified AS (${recipients(actor, audience(actor, people))})`,
  branches: (_scopes, walk) => [
    Prisma.sql`SELECT ${everywhere} AS scope, 0 AS rank, name_key(p.full_name) AS key, p.id
      FROM ${Prisma.raw(role)} w JOIN people p ON p.company_id = ${actor.companyId} AND p.id = w.person_id
      WHERE TRUE ${walk({ key: Prisma.sql`name_key(p.full_name)`, id: Prisma.sql`p.id` })}`,
  ],
});
