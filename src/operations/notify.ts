import { Prisma } from '../database/generated/client/client.js';
import { recipients } from '../lists/recipients.js';
import type { Actor } from '../policies/access.js';

/** The last step of a write: an unread notification of the step `activity(id)` for each recipient. */
export const notify = (actor: Actor, audience: Prisma.Sql) => Prisma.sql`
  INSERT INTO notifications (activity_id, person_id)
  SELECT activity.id, r.person_id FROM activity, (${recipients(actor, audience)}) r`;
