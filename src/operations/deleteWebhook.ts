import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import { notFound } from '../errors/failures.js';
import { permitOwner, stillOwner } from './owner.js';

/** Deletes a webhook with its log. What is on its way may still arrive. Throws 403 or 404. */
export async function deleteWebhook(context: Context, { id }: { id: string }): Promise<{ id: string }> {
  const { db, actor } = context;
  await permitOwner(context);
  const deleted = await db.$executeRaw(Prisma.sql`
    DELETE FROM webhooks w WHERE w.company_id = ${actor.companyId} AND w.id = ${id} AND ${stillOwner(actor)}`);
  if (deleted === 0) throw notFound('webhook', id);
  return { id };
}
