import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import { failure } from '../errors/failures.js';
import { type Actor, keyOf } from '../policies/access.js';

/** Requires that the caller owns the company. Throws 403. */
export async function permitOwner({ db, actor }: Context): Promise<void> {
  const person = await db.person.findUnique({ where: keyOf(actor, actor.personId), select: { isOwner: true } });
  if (!person?.isOwner) throw failure('OWNER_REQUIRED');
}

/** The same in the statement that writes, for one who has just lost it. */
export const stillOwner = ({ companyId, personId }: Actor) => Prisma.sql`EXISTS (
  SELECT o.id FROM people o WHERE o.company_id = ${companyId} AND o.id = ${personId} AND o.is_owner AND o.suspended_at IS NULL)`;
