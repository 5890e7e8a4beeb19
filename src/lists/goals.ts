import { emptySql, type Sql, sql } from '../platform/postgres/index.js';
import { type Actor, level } from '../policies/access.js';
import { type CursorKind, contains, eachOf, everywhere, fewWith, type List, type Walk, walked } from './engine.js';

export interface GoalFilter {
  spaceId?: string | null | undefined;
  isClosed?: boolean | null | undefined;
  isArchived?: boolean | null | undefined;
  championId?: string | null | undefined;
  text?: string | null | undefined;
}

const keys = {
  name: { key: 'text', column: sql`name_key(g.name)` },
  insertedAt: { key: 'timestamptz', column: sql`g.inserted_at` },
  updatedAt: { key: 'timestamptz', column: sql`g.updated_at` },
} as const;

export interface GoalOrder {
  field: keyof typeof keys;
  direction: 'asc' | 'desc';
}

export const goalCursor = (field: keyof typeof keys): CursorKind => ({ name: `goals.${field}`, key: keys[field].key });

/**
 * The goals that the caller may see: found first and then sorted, or each shelf walked in order. Access is checked of each
 * row besides, so that a mistake in the walk may hide a row, but leaks none.
 */
export function goalList(actor: Actor, filter: GoalFilter, { field, direction }: GoalOrder): List {
  const { column } = keys[field];
  const { companyId, personId } = actor;
  const { spaceId, championId, text } = filter;
  const common = { ...goalCursor(field), descending: direction === 'desc' };
  const inCompany = sql`g.company_id = ${companyId} AND g.removed_at IS NULL
    AND ${shelfOf} = ANY(${shelvesOf(filter)}::integer[])`;
  const seen = sql`EXISTS (SELECT FROM space_access v
    WHERE v.company_id = ${companyId} AND v.space_id = ${spaceId} AND v.person_id = ${personId} AND v.level >= ${level.view})`;
  const inSpace = spaceId == null ? emptySql : sql`AND g.space_id = ${spaceId} AND ${seen}`;

  const named = text == null ? emptySql : sql`AND ${contains(sql`g`, text)}`;
  // Those of a champion are few.
  const few = championId == null && text != null ? fewWith(text) : undefined;
  const areAll = few?.areAll(sql`found`) ?? sql`TRUE`;
  const steps = () => sql`found AS MATERIALIZED (
    SELECT g.id, ${column} AS key FROM goals g WHERE ${inCompany} ${inSpace}
      ${championId == null ? emptySql : sql`AND g.champion_id = ${championId}`} ${named}
      ${few?.end ?? emptySql})`;
  const sorted = (walk: Walk) => sql`SELECT ${everywhere} AS scope, 0 AS rank, f.key, f.id
    FROM found f JOIN goal_access a ON a.company_id = ${companyId} AND a.goal_id = f.id
    WHERE a.person_id = ${personId} AND a.level >= ${level.view} AND ${areAll}
    ${walk({ key: sql`f.key`, id: sql`f.id` })}`;
  if (championId != null) return { ...common, steps, branches: (_scopes, walk) => [sorted(walk)] };

  const shelves = sql`visible_goal_shelves s WHERE s.company_id = ${companyId} AND s.person_id = ${personId}
    AND s.shelf = ANY(${shelvesOf(filter)}::integer[])`;
  const beyondFew = few ? sql`AND NOT ${areAll}` : emptySql;
  const personal = (walk: Walk) => sql`
    SELECT ${everywhere} AS scope, 0 AS rank, g.key, g.id
    FROM (
      SELECT DISTINCT goal_id FROM personal_goals WHERE company_id = ${companyId} AND person_id = ${personId} OFFSET 0
    ) p
    CROSS JOIN LATERAL (
      SELECT ${column} AS key, g.id FROM goals g WHERE g.id = p.goal_id AND ${inCompany} ${inSpace} ${named} LIMIT 1
    ) g WHERE TRUE ${beyondFew} ${walk({ key: sql`g.key`, id: sql`g.id` })}`;
  const onShelves = (from: Sql, where: Sql, walk: Walk) => {
    const rows = sql`SELECT ${column} AS key, g.id, g.search_key FROM goals g
      WHERE ${where} AND g.removed_at IS NULL AND ${shelfOf} = s.shelf ${beyondFew}`;
    const along = { key: column, id: sql`g.id` };
    const page =
      text == null
        ? sql`${rows} ${walk(along)}`
        : walked(sql`${rows} ${walk(along, 'endless')}`, contains(sql`n`, text), walk);
    return sql`SELECT ${everywhere} AS scope, 0 AS rank, g.key, g.id FROM ${from} CROSS JOIN LATERAL (${page}) g`;
  };
  const byShelf = (walk: Walk) =>
    spaceId == null
      ? [
          onShelves(
            sql`(SELECT s.shelf FROM ${shelves} AND s.space_id IS NULL) s`,
            sql`g.company_id = ${companyId}`,
            walk,
          ),
          onShelves(
            sql`(SELECT s.space_id, s.shelf FROM ${shelves} AND s.space_id IS NOT NULL) s`,
            sql`g.company_id = ${companyId} AND g.space_id = s.space_id`,
            walk,
          ),
          personal(walk),
        ]
      : [
          onShelves(
            sql`(SELECT c.id AS space_id, s.shelf FROM spaces c, ${shelves}
              AND c.id = ${spaceId} AND c.company_id = ${companyId} AND (s.space_id IS NULL OR s.space_id = c.id)
              AND ${seen}) s`,
            sql`g.company_id = ${companyId} AND g.space_id = s.space_id`,
            walk,
          ),
          personal(walk),
        ];

  return text == null
    ? { ...common, branches: (_scopes, walk) => byShelf(walk) }
    : { ...common, steps, branches: (_scopes, walk) => [sorted(walk), ...byShelf(walk)] };
}

export const spaceGoalCursor: CursorKind = { name: 'space.goals', key: 'text' };

/** The goals that the caller may see of each space in the scopes, which the caller sees, by name. */
export const goalsOfSpaces = ({ companyId, personId }: Actor): List => ({
  ...spaceGoalCursor,
  branches: (spaces, walk) => [
    sql`SELECT s.id AS scope, 0 AS rank, g.key, g.id
      FROM (
        SELECT scope.id, s.shelf FROM ${eachOf(spaces)} JOIN visible_goal_shelves s ON s.space_id IS NULL OR s.space_id = scope.id
        WHERE s.company_id = ${companyId} AND s.person_id = ${personId}
      ) s CROSS JOIN LATERAL (
        SELECT ${keys.name.column} AS key, g.id FROM goals g
        WHERE g.company_id = ${companyId} AND g.space_id = s.id AND g.removed_at IS NULL AND ${shelfOf} = s.shelf
          ${walk({ key: keys.name.column, id: sql`g.id` })}
      ) g`,
    sql`SELECT scope.id AS scope, 0 AS rank, g.key, g.id FROM ${eachOf(spaces)} CROSS JOIN LATERAL (
        SELECT g.key, g.id
        FROM (
          SELECT DISTINCT goal_id FROM personal_goals WHERE company_id = ${companyId} AND person_id = ${personId} OFFSET 0
        ) p CROSS JOIN LATERAL (
          SELECT ${keys.name.column} AS key, g.id FROM goals g
          WHERE g.company_id = ${companyId} AND g.id = p.goal_id AND g.space_id = scope.id AND g.removed_at IS NULL LIMIT 1
        ) g WHERE TRUE ${walk({ key: sql`g.key`, id: sql`g.id` })}
      ) g`,
  ],
});

export const subgoalCursor: CursorKind = { name: 'goal.subgoals', key: 'text' };

/** The goals that the caller may see beneath each goal in the scopes, by name. They are found first, then sorted. */
export const subgoalsOf = ({ companyId, personId }: Actor): List => ({
  ...subgoalCursor,
  branches: (goals, walk) => [
    sql`SELECT scope.id AS scope, 0 AS rank, g.key, g.id FROM ${eachOf(goals)} CROSS JOIN LATERAL (
        SELECT g.key, g.id FROM (
          SELECT ${keys.name.column} AS key, g.id FROM goals g
          WHERE g.company_id = ${companyId} AND g.parent_goal_id = scope.id AND g.removed_at IS NULL
            AND (SELECT a.level FROM goal_access a
              WHERE a.company_id = ${companyId} AND a.goal_id = g.id AND a.person_id = ${personId}) >= ${level.view} OFFSET 0
        ) g WHERE TRUE ${walk({ key: sql`g.key`, id: sql`g.id` })}
      ) g`,
  ],
});

const shelfOf = sql`goal_shelf(g.company_level, g.space_level, g.closed_at, g.archived_at)`;

/** The shelves that the filter selects: bit 1 of a shelf is set for closed goals, bit 0 for archived ones. */
function shelvesOf({ isClosed, isArchived }: GoalFilter): number[] {
  const shelves = Array.from({ length: 16 }, (_, shelf) => shelf);
  return shelves.filter(
    (shelf) =>
      (isClosed == null || isClosed === (shelf & 2) > 0) && (isArchived == null || isArchived === (shelf & 1) > 0),
  );
}
