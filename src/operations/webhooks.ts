import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import type { ActivityAction } from '../database/generated/client/enums.js';
import { notFound } from '../errors/failures.js';
import { permitOwner } from './owner.js';

type WebhookState = 'active' | 'failing' | 'disabled';

export interface Webhook {
  companyId: string;
  id: string;
  url: string;
  /** Those that it gets; none for all. */
  actions: ActivityAction[];
  generation: number;
  previousUntil: Date | null;
  state: WebhookState;
  disabledReason: 'owner' | 'operator' | 'gone' | 'failing' | null;
  disabledAt: Date | null;
  failingSince: Date | null;
  waitUntil: Date | null;
  position: bigint;
  lag: bigint;
  retries: number;
  insertedAt: Date;
  updatedAt: Date;
}

/** The webhooks of the caller's company, oldest first. Throws 403. */
export async function loadWebhooks(context: Context): Promise<Webhook[]> {
  await permitOwner(context);
  return readWebhooks(context, Prisma.sql`TRUE`);
}

/** One of them. Throws 403 or 404. */
export async function loadWebhook(context: Context, id: string): Promise<Webhook> {
  await permitOwner(context);
  const [webhook] = await readWebhooks(context, Prisma.sql`w.id = ${id}`);
  if (!webhook) throw notFound('webhook', id);
  return webhook;
}

const readWebhooks = ({ db, actor: { companyId } }: Context, condition: Prisma.Sql): Promise<Webhook[]> =>
  db.$queryRaw<Webhook[]>(Prisma.sql`
    SELECT w.company_id AS "companyId", w.id, w.url, w.actions::text[] AS actions, w.generation,
      CASE WHEN w.previous_until > now() THEN w.previous_until END AS "previousUntil",
      CASE WHEN w.disabled_at IS NOT NULL THEN 'disabled' WHEN w.waits > 0 THEN 'failing' ELSE 'active' END AS state,
      w.disabled_reason AS "disabledReason", w.disabled_at AS "disabledAt", w.failing_since AS "failingSince",
      CASE WHEN w.disabled_at IS NULL AND w.wait_until > now() THEN w.wait_until END AS "waitUntil", w.position,
      greatest(c.last_sequence - w.position, 0) AS lag, w.inserted_at AS "insertedAt", w.updated_at AS "updatedAt",
      (SELECT count(r.id)::integer FROM webhook_retries r
        WHERE r.company_id = ${companyId} AND r.webhook_id = w.id AND NOT r.once) AS retries
    FROM webhooks w JOIN companies c ON c.id = ${companyId}
    WHERE w.company_id = ${companyId} AND ${condition}
    ORDER BY w.inserted_at, w.id`);
