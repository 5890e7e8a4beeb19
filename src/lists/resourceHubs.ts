import { joinSql, rawSql, sql } from '../platform/postgres/index.js';
import { type Actor, level } from '../policies/access.js';
import { type CursorKind, contains, everywhere, type List } from './engine.js';

export const resourceHubCursor: CursorKind = { name: 'resourceHubs', key: 'text' };

export interface ResourceHubFilter {
  spaceId?: string | null | undefined;
  goalId?: string | null | undefined;
  projectId?: string | null | undefined;
  text?: string | null | undefined;
}

/** The hubs that the caller may see, by name: found by parent or name, else walked; a guest's by what they may view. */
export function resourceHubList({ personId, companyId }: Actor, filter: ResourceHubFilter): List {
  const conditions = Object.entries({
    'h.space_id': filter.spaceId,
    'h.goal_id': filter.goalId,
    'h.project_id': filter.projectId,
  }).flatMap(([column, id]) => (id == null ? [] : [sql`AND ${rawSql(column)} = ${id}`]));
  if (filter.text != null) conditions.push(sql`AND h.removed_at IS NULL AND ${contains(sql`h`, filter.text)}`);
  // A scalar subquery, so that Postgres computes access for one hub at a time and not for all.
  const visible = sql`(SELECT a.level FROM resource_hub_access a
    WHERE a.company_id = ${companyId} AND a.resource_hub_id = h.id AND a.person_id = ${personId}) >= ${level.view}`;

  if (conditions.length > 0) {
    return {
      ...resourceHubCursor,
      steps: () => sql`found AS MATERIALIZED (
        SELECT name_key(h.name) AS key, h.id FROM resource_hubs h
        WHERE h.company_id = ${companyId} ${joinSql(conditions, ' ')} AND ${visible})`,
      branches: (_scopes, walk) => [
        sql`SELECT ${everywhere} AS scope, 0 AS rank, f.key, f.id
          FROM found f WHERE TRUE ${walk({ key: sql`f.key`, id: sql`f.id` })}`,
      ],
    };
  }
  return {
    ...resourceHubCursor,
    steps: () => sql`guest AS MATERIALIZED (
        SELECT FROM people WHERE company_id = ${companyId} AND id = ${personId} AND type = 'guest' AND NOT is_owner
      ), opened AS MATERIALIZED (
        SELECT s.space_id, NULL AS goal_id, NULL AS project_id FROM personal_spaces s
        WHERE s.company_id = ${companyId} AND s.person_id = ${personId} AND EXISTS (SELECT FROM guest)
        UNION
        SELECT NULL, g.goal_id, NULL FROM personal_goals g
        WHERE g.company_id = ${companyId} AND g.person_id = ${personId} AND EXISTS (SELECT FROM guest)
        UNION
        SELECT NULL, NULL, p.project_id FROM personal_projects p
        WHERE p.company_id = ${companyId} AND p.person_id = ${personId} AND EXISTS (SELECT FROM guest)
        UNION
        SELECT NULL, g.id, NULL FROM space_members m CROSS JOIN LATERAL (
          SELECT g.id FROM goals g
          WHERE g.company_id = ${companyId} AND g.space_id = m.space_id AND g.space_level >= ${level.view} OFFSET 0
        ) g WHERE m.company_id = ${companyId} AND m.person_id = ${personId} AND EXISTS (SELECT FROM guest)
        UNION
        SELECT NULL, NULL, p.id FROM space_members m CROSS JOIN LATERAL (
          SELECT p.id FROM projects p
          WHERE p.company_id = ${companyId} AND p.space_id = m.space_id AND p.space_level >= ${level.view} OFFSET 0
        ) p WHERE m.company_id = ${companyId} AND m.person_id = ${personId} AND EXISTS (SELECT FROM guest)
      )`,
    branches: (_scopes, walk) => [
      // Asks for the person inside, so that Postgres walks no hubs for a guest.
      sql`SELECT ${everywhere} AS scope, 0 AS rank, h.key, h.id FROM people p CROSS JOIN LATERAL (
          SELECT name_key(h.name) AS key, h.id FROM resource_hubs h
          WHERE h.company_id = ${companyId} AND (p.is_owner OR p.type <> 'guest') AND ${visible}
          ${walk({ key: sql`name_key(h.name)`, id: sql`h.id` })}
        ) h WHERE p.company_id = ${companyId} AND p.id = ${personId}`,
      ...['space_id', 'goal_id', 'project_id'].map(rawSql).map(
        (parent) => sql`SELECT ${everywhere} AS scope, 0 AS rank, h.key, h.id FROM opened o CROSS JOIN LATERAL (
          SELECT name_key(h.name) AS key, h.id FROM resource_hubs h
          WHERE h.company_id = ${companyId} AND h.${parent} = o.${parent} AND h.removed_at IS NULL OFFSET 0
        ) h WHERE o.${parent} IS NOT NULL ${walk({ key: sql`h.key`, id: sql`h.id` })}`,
      ),
    ],
  };
}
