import { Prisma } from '../../database/generated/client/client.js';
import type { Transaction } from '../../database/query/client.js';
import { longestPauses, longestRetryAfter } from './retrySchedule.js';

/** Ends the pauses that are longer than any is made: the database's clock was set back, by as much as they are too long. */
export async function endLongPauses(db: Transaction): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    UPDATE webhooks SET wait_until = now(), due_at = now()
    WHERE wait_until > now() + make_interval(secs => ${longestRetryAfter}::integer)`);
  await db.$executeRaw(Prisma.sql`
    UPDATE webhook_retries SET due_at = now()
    WHERE due_at > now() + make_interval(secs => (${longestPauses}::float8[])[failures + 1])`);
  await db.$executeRaw(Prisma.sql`
    UPDATE webhooks w SET due_at = now() WHERE w.due_at > now() AND (w.wait_until IS NULL OR w.wait_until <= now())
      AND EXISTS (SELECT r.id FROM webhook_retries r
        WHERE r.company_id = w.company_id AND r.webhook_id = w.id AND r.due_at <= now())`);
}
