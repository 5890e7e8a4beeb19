import { Prisma } from '../database/generated/client/client.js';
import { type Actor, level } from '../policies/access.js';

/**
 * Of the people in the query `audience(person_id)`, each once, those to notify: without the author, suspended people,
 * and those who may not view the subject. `access(person_id, level)` is the query for everybody's access to it.
 *
 * Each is looked up by a scalar subquery, which is never planned as a join: while PostgreSQL believes that a company of
 * thousands is small, it joins by comparing each with each.
 */
export const recipients = ({ companyId, personId }: Actor, audience: Prisma.Sql, access: Prisma.Sql) => Prisma.sql`
  SELECT a.person_id FROM (${audience}) a
  WHERE a.person_id <> ${personId} AND (
    SELECT p.suspended_at IS NULL AND v.level >= ${level.view} FROM people p JOIN (${access}) v ON v.person_id = p.id
    WHERE p.company_id = ${companyId} AND p.id = a.person_id)`;
