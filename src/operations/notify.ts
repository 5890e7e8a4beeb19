import { Prisma } from '../database/generated/client/client.js';
import { type Actor, level } from '../policies/access.js';

/**
 * Those of the query `audience(person_id)` who are told: each person once, never the author, a suspended person,
 * or someone who cannot view. Reads the step `viewers(person_id, level)` of the same statement.
 */
export const recipients = (actor: Actor, audience: Prisma.Sql) => Prisma.sql`
  SELECT p.id AS person_id FROM people p
  WHERE p.id IN (${audience}) AND p.id <> ${actor.personId} AND p.suspended_at IS NULL
    AND EXISTS (SELECT FROM viewers v WHERE v.person_id = p.id AND v.level >= ${level.view})`;

/** The last step of a write: an unread notification of the step `activity(id)` for each of them. */
export const notify = (actor: Actor, audience: Prisma.Sql) => Prisma.sql`
  INSERT INTO notifications (activity_id, person_id)
  SELECT activity.id, r.person_id FROM activity, (${recipients(actor, audience)}) r`;
