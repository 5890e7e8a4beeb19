import { Prisma } from '../generated/client/client.js';
import { textList } from '../platform/postgres/index.js';
import { type Actor, level } from '../policies/access.js';
import { type CursorKind, contains, everywhere, fewWith, type List, type Walk, walked } from './engine.js';

export const peopleCursor: CursorKind = { name: 'people', key: 'text' };

/** Selects the people `p` whom the caller can find: not suspended; for a guest, those of the guest's spaces. */
const findable = ({ companyId, personId }: Actor): Prisma.Sql => Prisma.sql`
  p.company_id = ${companyId} AND p.suspended_at IS NULL AND (
    p.id = ${personId}
    OR (SELECT c.is_owner OR c.type <> 'guest' FROM people c WHERE c.company_id = ${companyId} AND c.id = ${personId})
    OR p.id IN (
      SELECT m.person_id FROM space_members own JOIN space_members m
        ON m.company_id = ${companyId} AND m.space_id = own.space_id
      WHERE own.company_id = ${companyId} AND own.person_id = ${personId}))`;

/** The people that the caller can find, by name: all, or those whose names contain the text. */
export const peopleList = (actor: Actor, text: string | null | undefined): List => {
  const [key, id] = [Prisma.sql`name_key(p.full_name)`, Prisma.sql`p.id`];
  const inOrder = (walk: Walk, where: Prisma.Sql, filter: Prisma.Sql) =>
    Prisma.sql`SELECT ${everywhere} AS scope, 0 AS rank, f.key, f.id FROM (${walked(
      Prisma.sql`SELECT ${key} AS key, p.id, p.search_key FROM people p
        WHERE ${findable(actor)} ${where} ${walk({ key, id }, 'endless')}`,
      filter,
      walk,
    )}) f`;
  if (text == null)
    return { ...peopleCursor, branches: (_scopes, walk) => [inOrder(walk, Prisma.empty, Prisma.sql`TRUE`)] };
  const few = fewWith(text);
  const areAll = few.areAll(Prisma.sql`found`);
  return {
    ...peopleCursor,
    steps: () => Prisma.sql`found AS MATERIALIZED (
      SELECT p.id, ${key} AS key FROM people p WHERE ${findable(actor)} AND ${contains(Prisma.sql`p`, text)} ${few.end})`,
    branches: (_scopes, walk) => [
      Prisma.sql`SELECT ${everywhere} AS scope, 0 AS rank, f.key, f.id FROM found f
        WHERE ${areAll} ${walk({ key: Prisma.sql`f.key`, id: Prisma.sql`f.id` })}`,
      inOrder(walk, Prisma.sql`AND NOT ${areAll}`, contains(Prisma.sql`n`, text)),
    ],
  };
};

/**
 * Of the people in the query `audience(person_id, may_view)`, those to notify, each once and in order: without the author,
 * suspended people, and those who may not view the subject by `access`, a query of a view `*_access`. Scalar subqueries are
 * never planned as a join, which compares each with each while PostgreSQL believes that a large company is small.
 */
export const recipients = ({ companyId, personId }: Actor, audience: Prisma.Sql, access: Prisma.Sql) => Prisma.sql`
  SELECT a.person_id FROM (SELECT person_id, bool_or(may_view) AS may_view FROM (${audience}) a GROUP BY person_id) a
  WHERE a.person_id <> ${personId} AND CASE WHEN a.may_view
    THEN (SELECT p.suspended_at IS NULL FROM people p WHERE p.company_id = ${companyId} AND p.id = a.person_id)
    ELSE (SELECT v.level >= ${level.view} AND NOT v.is_suspended FROM (${access}) v WHERE v.person_id = a.person_id) END
  ORDER BY a.person_id`;

/** Whether all members of its space may view a goal: the least that the ladder gives one of them. */
export const membersMayView = Prisma.sql`access_level(FALSE, NULL, TRUE, space_level, TRUE, NULL) >= ${level.view} AS members_may_view`;

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
    WHEN p.id = ANY(${textList(invited)}) THEN 'invited'
    ELSE 'mentioned' END::subscription_type AS type
  FROM people p
  WHERE p.company_id = ${actor.companyId} AND p.id = ANY(${textList([actor.personId, ...invited, ...mentioned])})`;

/** The people that reopening may notify, for {@link recipients}. Reads the steps `goal` and `subscribed`. */
export const audience = ({ companyId }: Actor, { everyone }: ReopenAudience): Prisma.Sql => {
  const members = Prisma.sql`UNION ALL
    SELECT m.person_id, goal.members_may_view FROM goal JOIN space_members m ON m.company_id = ${companyId} AND m.space_id = goal.space_id`;
  return Prisma.sql`SELECT person_id, FALSE AS may_view FROM subscribed ${everyone ? members : Prisma.empty}`;
};

/** Everybody's access to the goal, for {@link recipients}. */
export const goalAccess = ({ companyId }: Actor, { goalId }: ReopenAudience): Prisma.Sql =>
  Prisma.sql`SELECT person_id, level, is_suspended FROM goal_access WHERE company_id = ${companyId} AND goal_id = ${goalId}`;

/** Steps of the followers of a file, of its step `file(id, resource_hub_id)`. */
export const fileFollowers = ({ companyId }: Actor): Prisma.Sql => Prisma.sql`list AS (
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
export const fileAudience = ({ companyId }: Actor): Prisma.Sql => Prisma.sql`
  SELECT person_id, FALSE AS may_view FROM followers WHERE NOT canceled UNION ALL
  SELECT m.person_id, FALSE FROM list, space JOIN space_members m ON m.company_id = ${companyId} AND m.space_id = space.id
  WHERE list.send_to_everyone AND m.person_id NOT IN (SELECT person_id FROM followers WHERE canceled)`;

/** Everybody's access to it, for {@link recipients}. Reads the step `file`. */
export const fileAccess = ({ companyId }: Actor): Prisma.Sql => Prisma.sql`
  SELECT a.person_id, a.level, a.is_suspended
  FROM file JOIN resource_hub_access a ON a.company_id = ${companyId} AND a.resource_hub_id = file.resource_hub_id`;

type AudienceRole = 'notified' | 'subscribed';

export const audienceCursor = (role: AudienceRole): CursorKind => ({ name: `reopening.${role}`, key: 'text' });

/** The people that reopening the goal would notify or subscribe, by name. Empty if it cannot be reopened. */
export const reopenAudienceList = (actor: Actor, people: ReopenAudience, role: AudienceRole): List => ({
  ...audienceCursor(role),
  steps: () => Prisma.sql`goal AS (
      SELECT id, space_id, ${membersMayView} FROM goals WHERE company_id = ${actor.companyId} AND id = ${people.goalId}
        AND closed_at IS NOT NULL AND archived_at IS NULL
    ), subscribed AS (SELECT s.person_id FROM goal, (${subscribers(actor, people)}) s),
    notified AS (${recipients(actor, audience(actor, people), goalAccess(actor, people))})`,
  branches: peopleOf(actor, role),
});

/** The people of a step (person_id), by name. */
const peopleOf =
  (actor: Actor, step: string): List['branches'] =>
  (_scopes, walk) => [
    // OFFSET: looked up for each, for the reason that `recipients` gives.
    Prisma.sql`SELECT ${everywhere} AS scope, 0 AS rank, p.key, p.id FROM ${Prisma.raw(step)} w CROSS JOIN LATERAL (
        SELECT id, name_key(full_name) AS key FROM people WHERE company_id = ${actor.companyId} AND id = w.person_id OFFSET 0
      ) p
      WHERE TRUE ${walk({ key: Prisma.sql`p.key`, id: Prisma.sql`p.id` })}`,
  ];

export const deletionCursor: CursorKind = { name: 'deletion.notified', key: 'text' };

/** The people that deleting the file would notify, by name. */
export const deletionAudienceList = (actor: Actor, fileId: string | null): List => ({
  ...deletionCursor,
  steps: () => Prisma.sql`file AS (
      SELECT id, resource_hub_id FROM resource_hub_files
      WHERE company_id = ${actor.companyId} AND id = ${fileId} AND deleted_at IS NULL
    ), ${fileFollowers(actor)},
    notified AS (${recipients(actor, fileAudience(actor), fileAccess(actor))})`,
  branches: peopleOf(actor, 'notified'),
});

/** The people that a restore may subscribe to a document, by id. */
export interface RestoreAudience {
  documentId: string;
  mentioned: string[];
}

export const restoreCursor: CursorKind = { name: 'restore.subscribed', key: 'text' };

/** The people that restoring a version would subscribe to the document, by name: not those who have canceled. */
export const restoreAudienceList = ({ companyId, ...actor }: Actor, people: RestoreAudience): List => ({
  ...restoreCursor,
  steps: () => Prisma.sql`subscribed AS (
      SELECT p.id AS person_id FROM people p
      WHERE p.company_id = ${companyId} AND p.id = ANY(${textList(people.mentioned)}) AND NOT EXISTS (
        SELECT FROM subscription_lists l JOIN subscriptions s ON s.company_id = ${companyId} AND s.subscription_list_id = l.id
        WHERE l.company_id = ${companyId} AND l.document_id = ${people.documentId} AND s.person_id = p.id)
    )`,
  branches: peopleOf({ companyId, ...actor }, 'subscribed'),
});
