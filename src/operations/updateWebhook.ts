import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import type { ActivityAction } from '../database/generated/client/enums.js';
import { notFound } from '../errors/failures.js';
import { secretOf } from '../events/webhooks/sending/secrets.js';
import type { WebhookWithSecret } from './createWebhook.js';
import { permitOwner, stillOwner } from './owner.js';
import { requireKey, requireReached, requireUrl } from './webhookInput.js';

export interface UpdateWebhookInput {
  id: string;
  url?: string | null | undefined;
  /** Null for all actions; undefined to leave them as they are. */
  actions?: readonly ActivityAction[] | null | undefined;
  enabled?: boolean | null | undefined;
  newSecret?: boolean | null | undefined;
  keepOldSecret?: boolean | null | undefined;
  after?: number | null | undefined;
}

/** Changes what is given of a webhook. Throws 400, 403, 404 or 501. Decisions: "Webhooks". */
export async function updateWebhook(context: Context, input: UpdateWebhookInput): Promise<WebhookWithSecret> {
  const { db, actor } = context;
  const { companyId } = actor;
  const { id, url, newSecret, after } = input;
  if (url != null) requireUrl(context, url);
  await permitOwner(context);
  const key = newSecret ? requireKey(context) : undefined;
  await requireReached(context, after);
  const [row] = await db.$queryRaw<{ generation: number }[]>(Prisma.sql`
    WITH updated AS (
      UPDATE webhooks w SET ${Prisma.join(changesOf(input))}
      WHERE w.company_id = ${companyId} AND w.id = ${id} AND ${stillOwner(actor)} RETURNING w.id, w.generation
    ), forgotten AS (
      DELETE FROM webhook_retries r USING updated
      WHERE r.company_id = ${companyId} AND r.webhook_id = updated.id AND NOT r.once AND ${after != null}::boolean
    )
    SELECT generation FROM updated`);
  if (!row) throw notFound('webhook', id);
  const { generation } = row;
  return { webhookId: id, secret: key === undefined ? null : secretOf(key, { companyId, id, generation }) };
}

/** A new epoch ends what the gateway that delivers right now still has in hand. */
function changesOf({ url, actions, enabled, newSecret, keepOldSecret, after }: UpdateWebhookInput): Prisma.Sql[] {
  const changes = [Prisma.sql`updated_at = now(), due_at = now()`];
  const beginsAgain = url != null || enabled === true || after != null;
  if (url != null) changes.push(Prisma.sql`url = ${url}`);
  if (actions !== undefined)
    changes.push(Prisma.sql`actions = ${[...new Set(actions ?? [])]}::text[]::activity_action[]`);
  if (after != null) changes.push(Prisma.sql`position = ${after}::bigint`);
  if (newSecret) {
    changes.push(Prisma.sql`generation = w.generation + 1`);
    changes.push(
      keepOldSecret === false
        ? Prisma.sql`previous_until = NULL`
        : Prisma.sql`previous_until = now() + interval '24 hours'`,
    );
  }
  if (enabled === true) changes.push(Prisma.sql`disabled_at = NULL, disabled_reason = NULL`);
  if (enabled === false) changes.push(Prisma.sql`disabled_at = now(), disabled_reason = 'owner'`);
  if (beginsAgain) {
    changes.push(Prisma.sql`epoch = w.epoch + 1, failures = 0, waits = 0, failing_since = NULL, wait_until = NULL`);
  }
  return changes;
}
