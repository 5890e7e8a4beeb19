import { Prisma } from '../database/generated/client/client.js';
import { newIds } from '../database/query/newId.js';
import { recipients } from '../lists/recipients.js';
import type { Actor } from '../policies/access.js';

/** The last step of a write: notifies each recipient. Reads the steps `company` and `activity(id)`. */
export const notify = (actor: Actor, audience: Prisma.Sql, access: Prisma.Sql) => Prisma.sql`
  INSERT INTO notifications (company_id, id, activity_id, person_id)
  SELECT company.id, ${newIds()}, activity.id, r.person_id
  FROM company, activity, (${recipients(actor, audience, access)}) r`;
