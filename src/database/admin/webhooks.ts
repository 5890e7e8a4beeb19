import { Prisma } from '../generated/client/client.js';
import type { Transaction } from '../query/client.js';

/** A webhook of any company, as operators see it. */
export interface ListedWebhook {
  id: string;
  companyId: string;
  url: string;
  state: 'active' | 'failing' | 'disabled';
  disabledReason: string | null;
  /** By how many events it is behind. */
  lag: bigint;
  failingSince: Date | null;
}

/** The webhooks of all companies, the one that is most behind first. */
export const listWebhooks = (db: Transaction): Promise<ListedWebhook[]> =>
  db.$queryRaw<ListedWebhook[]>(Prisma.sql`
    SELECT w.id, w.company_id AS "companyId", w.url, w.disabled_reason AS "disabledReason",
      CASE WHEN w.disabled_at IS NOT NULL THEN 'disabled' WHEN w.waits > 0 THEN 'failing' ELSE 'active' END AS state,
      greatest(c.last_sequence - w.position, 0) AS lag, w.failing_since AS "failingSince"
    FROM webhooks w JOIN companies c ON c.id = w.company_id
    ORDER BY lag DESC, w.company_id, w.inserted_at, w.id`);

/** Disables the webhooks with this id that are not, and returns their number. */
export const disableWebhook = (db: Transaction, id: string): Promise<number> =>
  db.$executeRaw(Prisma.sql`
    UPDATE webhooks SET disabled_at = now(), disabled_reason = 'operator' WHERE id = ${id} AND disabled_at IS NULL`);
