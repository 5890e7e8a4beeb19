import { Prisma } from '../database/generated/client/client.js';
import { type Actor, level } from '../policies/access.js';

/**
 * Of the people in the query `audience(person_id)`, each once, those to notify: without the author, suspended people,
 * and those who may not view the subject. `access` is the query for everybody's access to it, from a view `*_access`.
 *
 * Each is looked up by a scalar subquery, which is never planned as a join: while PostgreSQL believes that a company of
 * thousands is small, it joins by comparing each with each.
 */
export const recipients = ({ personId }: Actor, audience: Prisma.Sql, access: Prisma.Sql) => Prisma.sql`
  SELECT a.person_id FROM (${audience}) a
  WHERE a.person_id <> ${personId} AND (
    SELECT v.level >= ${level.view} AND NOT v.is_suspended FROM (${access}) v WHERE v.person_id = a.person_id)`;
