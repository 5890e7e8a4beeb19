import { Prisma } from '../database/generated/client/client.js';
import { type Actor, level } from '../policies/access.js';

/**
 * The people in the query `audience(person_id)` to notify: each once, without the author, suspended people, and those
 * who may not view the subject. Reads the step `viewers(person_id, level)` of the same statement.
 */
export const recipients = (actor: Actor, audience: Prisma.Sql) => Prisma.sql`
  SELECT p.company_id, p.id AS person_id FROM people p
  WHERE p.company_id = ${actor.companyId} AND p.id IN (${audience}) AND p.id <> ${actor.personId}
    AND p.suspended_at IS NULL AND EXISTS (SELECT FROM viewers v WHERE v.person_id = p.id AND v.level >= ${level.view})`;
