import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import { newId } from '../database/query/newId.js';
import { failure, notFound } from '../errors/failures.js';
import { company } from './company.js';
import { stillOwner } from './owner.js';
import { requireKey } from './webhookInput.js';
import { loadWebhook } from './webhooks.js';

/** The most that waits to be sent once to one webhook. */
const mostQueued = 100;

export interface SendWebhookInput {
  id: string;
  eventId?: string | null | undefined;
}

export interface QueuedEvent {
  webhookId: string;
  /** The id with which it arrives. */
  eventId: string;
}

/** Queues an event to be sent once more, or a ping. Waits for no endpoint. Throws 403, 404, 429 or 501. */
export async function sendWebhook(context: Context, { id, eventId }: SendWebhookInput): Promise<QueuedEvent> {
  const { db, actor } = context;
  const { companyId } = actor;
  await loadWebhook(context, id);
  requireKey(context);
  const sequence = eventId == null ? null : await sequenceOf(context, eventId);
  const retryId = newId();
  const [queued] = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH ${company(actor)}, webhook AS (
      UPDATE webhooks w SET due_at = now()
      WHERE w.company_id = ${companyId} AND w.id = ${id} AND ${stillOwner(actor)}
        AND (SELECT count(r.id) FROM webhook_retries r
          WHERE r.company_id = ${companyId} AND r.webhook_id = ${id} AND r.once) < ${mostQueued}::integer
      RETURNING w.id
    ), queued AS (
      INSERT INTO webhook_retries AS r (company_id, id, webhook_id, record, once, sequence, due_at)
      SELECT company.id, ${retryId}, webhook.id, ${`once ${retryId}`}, true, ${sequence}::bigint, now()
      FROM company, webhook RETURNING r.id
    )
    SELECT id FROM queued`);
  if (!queued) throw failure('RATE_LIMITED', { retryAfter: 10, limit: 'queue' });
  return { webhookId: id, eventId: eventId ?? retryId };
}

/** Of an event that others may hear of. Throws 404. */
async function sequenceOf({ db, actor: { companyId } }: Context, id: string): Promise<number> {
  const [event] = await db.$queryRaw<{ sequence: bigint }[]>(Prisma.sql`
    SELECT a.sequence FROM activities a
    WHERE a.company_id = ${companyId} AND a.id = ${id} AND a.sequence IS NOT NULL AND NOT EXISTS (
      SELECT d.id FROM resource_hub_documents d
      WHERE d.company_id = ${companyId} AND d.id = a.document_id AND d.state = 'draft')`);
  if (!event) throw notFound('event', id);
  return Number(event.sequence);
}
