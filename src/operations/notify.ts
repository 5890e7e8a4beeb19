import { Prisma } from '../database/generated/client/client.js';
import { newIds } from '../database/newId.js';
import { recipients } from '../lists/recipients.js';
import type { Actor } from '../policies/access.js';

/** The last step of a write: notifies each recipient of the step `activity(id)`. */
export const notify = (actor: Actor, audience: Prisma.Sql) => Prisma.sql`
  INSERT INTO notifications (company_id, id, activity_id, person_id)
  SELECT r.company_id, ${newIds()}, activity.id, r.person_id FROM activity, (${recipients(actor, audience)}) r`;
