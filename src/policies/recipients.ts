import { emptySql, type Sql, sql, textList } from '../platform/postgres/index.js';
import { type Actor, level } from './access.js';

/**
 * Of the people in the query `audience(person_id, may_view)`, those to notify, each once and in order: without the author,
 * suspended people, and those who may not view the subject by `access`, a query of a view `*_access`. Scalar subqueries are
 * never planned as a join, which compares each with each while PostgreSQL believes that a large company is small.
 */
export const recipients = ({ companyId, personId }: Actor, audience: Sql, access: Sql) => sql`
  SELECT a.person_id FROM (SELECT person_id, bool_or(may_view) AS may_view FROM (${audience}) a GROUP BY person_id) a
  WHERE a.person_id <> ${personId} AND CASE WHEN a.may_view
    THEN (SELECT p.suspended_at IS NULL FROM people p WHERE p.company_id = ${companyId} AND p.id = a.person_id)
    ELSE (SELECT v.level >= ${level.view} AND NOT v.is_suspended FROM (${access}) v WHERE v.person_id = a.person_id) END
  ORDER BY a.person_id`;

/** Whether all members of its space may view a goal: the least that the ladder gives one of them. */
export const membersMayView = sql`access_level(FALSE, NULL, TRUE, space_level, TRUE, NULL) >= ${level.view} AS members_may_view`;

/** The people to subscribe or notify when a goal is reopened, by id. */
export interface ReopenAudience {
  goalId: string;
  invited: string[];
  mentioned: string[];
  /** Whether the members of the goal's space are notified too. */
  everyone: boolean;
}

/** The people that reopening subscribes to the thread: rows of (company_id, person_id, type). */
export const subscribers = (actor: Actor, { invited, mentioned }: ReopenAudience): Sql => sql`
  SELECT p.company_id, p.id AS person_id, CASE
    WHEN p.id = ${actor.personId} THEN 'joined'
    WHEN p.id = ANY(${textList(invited)}) THEN 'invited'
    ELSE 'mentioned' END::subscription_type AS type
  FROM people p
  WHERE p.company_id = ${actor.companyId} AND p.id = ANY(${textList([actor.personId, ...invited, ...mentioned])})`;

/** The people that reopening may notify, for {@link recipients}. Reads the steps `goal` and `subscribed`. */
export const audience = ({ companyId }: Actor, { everyone }: ReopenAudience): Sql => {
  const members = sql`UNION ALL
    SELECT m.person_id, goal.members_may_view FROM goal JOIN space_members m ON m.company_id = ${companyId} AND m.space_id = goal.space_id`;
  return sql`SELECT person_id, FALSE AS may_view FROM subscribed ${everyone ? members : emptySql}`;
};

/** Everybody's access to the goal, for {@link recipients}. */
export const goalAccess = ({ companyId }: Actor, { goalId }: ReopenAudience): Sql =>
  sql`SELECT person_id, level, is_suspended FROM goal_access WHERE company_id = ${companyId} AND goal_id = ${goalId}`;

/** Steps of the followers of a file, of its step `file(id, resource_hub_id)`. */
export const fileFollowers = ({ companyId }: Actor): Sql => sql`list AS (
    SELECT l.id, l.send_to_everyone
    FROM file JOIN subscription_lists l ON l.company_id = ${companyId} AND l.file_id = file.id
  ), followers AS (
    SELECT s.person_id, s.canceled
    FROM list JOIN subscriptions s ON s.company_id = ${companyId} AND s.subscription_list_id = list.id
  ), space AS (
    SELECT coalesce(h.space_id, g.space_id, p.space_id) AS id
    FROM file JOIN resource_hubs h ON h.company_id = ${companyId} AND h.id = file.resource_hub_id
    LEFT JOIN goals g ON g.company_id = ${companyId} AND g.id = h.goal_id
    LEFT JOIN projects p ON p.company_id = ${companyId} AND p.id = h.project_id
  )`;

/** The people that its deletion may notify, for {@link recipients}. Reads these steps. */
export const fileAudience = ({ companyId }: Actor): Sql => sql`
  SELECT person_id, FALSE AS may_view FROM followers WHERE NOT canceled UNION ALL
  SELECT m.person_id, FALSE FROM list, space JOIN space_members m ON m.company_id = ${companyId} AND m.space_id = space.id
  WHERE list.send_to_everyone AND m.person_id NOT IN (SELECT person_id FROM followers WHERE canceled)`;

/** Everybody's access to it, for {@link recipients}. Reads the step `file`. */
export const fileAccess = ({ companyId }: Actor): Sql => sql`
  SELECT a.person_id, a.level, a.is_suspended
  FROM file JOIN resource_hub_access a ON a.company_id = ${companyId} AND a.resource_hub_id = file.resource_hub_id`;

/** The people that a restore may subscribe to a document, by id. */
export interface RestoreAudience {
  documentId: string;
  mentioned: string[];
}
