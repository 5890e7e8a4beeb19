import { emptySql, joinSql, sql } from '../platform/postgres/index.js';
import type { Actor } from '../policies/access.js';
import { type CursorKind, everywhere, type List, patternsOf } from './engine.js';

export const spaceCursor: CursorKind = { name: 'spaces', key: 'text' };

/** The spaces that the caller may see, by name: all, or those with each word of the text in it. */
export function spaceList({ companyId, personId }: Actor, text: string | null | undefined): List {
  const words = (text == null ? [] : patternsOf(text)).map((pattern) => sql`AND search_key(s.name) LIKE ${pattern}`);
  const named = words.length > 0 ? joinSql(words, ' ') : emptySql;
  return {
    ...spaceCursor,
    branches: (_scopes, walk) => [
      // Asks for the person inside, so that Postgres walks no spaces for a guest.
      sql`SELECT ${everywhere} AS scope, 0 AS rank, s.key, s.id
      FROM people p CROSS JOIN (VALUES (true), (false)) AS shelf(open) CROSS JOIN LATERAL (
        SELECT name_key(s.name) AS key, s.id FROM spaces s
        WHERE s.company_id = ${companyId} AND s.removed_at IS NULL AND (s.company_level >= 10) = shelf.open
          AND (p.is_owner OR (p.type <> 'guest' AND shelf.open)) ${named}
        ${walk({ key: sql`name_key(s.name)`, id: sql`s.id` })}
      ) s
      WHERE p.company_id = ${companyId} AND p.id = ${personId}`,
      sql`SELECT ${everywhere} AS scope, 0 AS rank, s.key, s.id
      FROM (
        SELECT DISTINCT space_id FROM personal_spaces WHERE company_id = ${companyId} AND person_id = ${personId} OFFSET 0
      ) p CROSS JOIN LATERAL (
        SELECT name_key(s.name) AS key, s.id FROM spaces s
        WHERE s.company_id = ${companyId} AND s.id = p.space_id AND s.removed_at IS NULL ${named} LIMIT 1
      ) s WHERE TRUE ${walk({ key: sql`s.key`, id: sql`s.id` })}`,
    ],
  };
}
