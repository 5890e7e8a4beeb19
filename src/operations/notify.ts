import { Prisma } from '../database/generated/client/client.js';
import { type Actor, level } from '../policies/access.js';

/**
 * The last step of a write: one unread notification for each person of the query `audience(person_id)`, once,
 * never for the author, a suspended person, or someone who cannot view. Reads the steps `activity(id)` and
 * `viewers(person_id, level)` of the same statement.
 */
export const notify = (actor: Actor, audience: Prisma.Sql) => Prisma.sql`
  INSERT INTO notifications (activity_id, person_id)
  SELECT activity.id, p.id FROM activity, people p
  WHERE p.id IN (${audience}) AND p.id <> ${actor.personId} AND p.suspended_at IS NULL
    AND EXISTS (SELECT FROM viewers v WHERE v.person_id = p.id AND v.level >= ${level.view})`;
