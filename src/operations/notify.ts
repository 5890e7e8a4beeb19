import { Prisma } from '../database/generated/client/client.js';
import { recipients } from '../lists/recipients.js';
import type { Actor } from '../policies/access.js';

/** The last step of a write: notifies each recipient of the step `activity(id)`. */
export const notify = (actor: Actor, audience: Prisma.Sql) => Prisma.sql`
  INSERT INTO notifications (company_id, activity_id, person_id)
  SELECT ${actor.companyId}, activity.id, r.person_id FROM activity, (${recipients(actor, audience)}) r`;
