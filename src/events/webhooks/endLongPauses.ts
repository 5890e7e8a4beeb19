import { Prisma } from '../../database/generated/client/client.js';
import type { Transaction } from '../../database/query/client.js';
import { longestPauses, longestRetryAfter } from './retrySchedule.js';

/**
 * Ends the pauses that are longer than any is made, company by company: the database's clock was set back, by as much as
 * they are too long.
 */
export async function endLongPauses(db: Transaction): Promise<void> {
  const companies = await db.$queryRaw<{ id: string }[]>(
    Prisma.sql`SELECT DISTINCT company_id AS id FROM webhooks WHERE due_at > now()`,
  );
  for (const { id } of companies) await endLongPausesOf(db, id);
}

async function endLongPausesOf(db: Transaction, companyId: string): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    UPDATE webhooks SET wait_until = now(), due_at = now()
    WHERE company_id = ${companyId} AND wait_until > now() + make_interval(secs => ${longestRetryAfter}::integer)`);
  await db.$executeRaw(Prisma.sql`
    UPDATE webhook_retries SET due_at = now()
    WHERE company_id = ${companyId} AND due_at > now() + make_interval(secs => (${longestPauses}::float8[])[failures + 1])`);
  await db.$executeRaw(Prisma.sql`
    UPDATE webhooks w SET due_at = now()
    WHERE w.company_id = ${companyId} AND w.due_at > now() AND (w.wait_until IS NULL OR w.wait_until <= now())
      AND EXISTS (SELECT r.id FROM webhook_retries r
        WHERE r.company_id = ${companyId} AND r.webhook_id = w.id AND r.due_at <= now())`);
}
