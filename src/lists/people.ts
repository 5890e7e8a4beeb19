import { emptySql, type Sql, sql } from '../platform/postgres/index.js';
import type { Actor } from '../policies/access.js';
import { type CursorKind, contains, everywhere, fewWith, type List, type Walk, walked } from './engine.js';

export const peopleCursor: CursorKind = { name: 'people', key: 'text' };

/** Selects the people `p` whom the caller can find: not suspended; for a guest, those of the guest's spaces. */
const findable = ({ companyId, personId }: Actor): Sql => sql`
  p.company_id = ${companyId} AND p.suspended_at IS NULL AND (
    p.id = ${personId}
    OR (SELECT c.is_owner OR c.type <> 'guest' FROM people c WHERE c.company_id = ${companyId} AND c.id = ${personId})
    OR p.id IN (
      SELECT m.person_id FROM space_members own JOIN space_members m
        ON m.company_id = ${companyId} AND m.space_id = own.space_id
      WHERE own.company_id = ${companyId} AND own.person_id = ${personId}))`;

/** The people that the caller can find, by name: all, or those whose names contain the text. */
export const peopleList = (actor: Actor, text: string | null | undefined): List => {
  const [key, id] = [sql`name_key(p.full_name)`, sql`p.id`];
  const inOrder = (walk: Walk, where: Sql, filter: Sql) =>
    sql`SELECT ${everywhere} AS scope, 0 AS rank, f.key, f.id FROM (${walked(
      sql`SELECT ${key} AS key, p.id, p.search_key FROM people p
        WHERE ${findable(actor)} ${where} ${walk({ key, id }, 'endless')}`,
      filter,
      walk,
    )}) f`;
  if (text == null) return { ...peopleCursor, branches: (_scopes, walk) => [inOrder(walk, emptySql, sql`TRUE`)] };
  const few = fewWith(text);
  const areAll = few.areAll(sql`found`);
  return {
    ...peopleCursor,
    steps: () => sql`found AS MATERIALIZED (
      SELECT p.id, ${key} AS key FROM people p WHERE ${findable(actor)} AND ${contains(sql`p`, text)} ${few.end})`,
    branches: (_scopes, walk) => [
      sql`SELECT ${everywhere} AS scope, 0 AS rank, f.key, f.id FROM found f
        WHERE ${areAll} ${walk({ key: sql`f.key`, id: sql`f.id` })}`,
      inOrder(walk, sql`AND NOT ${areAll}`, contains(sql`n`, text)),
    ],
  };
};
