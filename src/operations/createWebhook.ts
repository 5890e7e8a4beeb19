import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import type { ActivityAction } from '../database/generated/client/enums.js';
import { newId } from '../database/query/newId.js';
import { failure } from '../errors/failures.js';
import { secretOf } from '../events/webhooks/sending/secrets.js';
import { company } from './company.js';
import { permitOwner, stillOwner } from './owner.js';
import { retry } from './retry.js';
import { requireKey, requireReached, requireUrl } from './webhookInput.js';

/** The most webhooks of a company. */
const mostWebhooks = 20;

export interface CreateWebhookInput {
  url: string;
  actions?: readonly ActivityAction[] | null | undefined;
  after?: number | null | undefined;
}

export interface WebhookWithSecret {
  webhookId: string;
  /** Null if there is no new one. */
  secret: string | null;
}

/** Makes a webhook, which starts now or after a given event. Throws 400, 403, 409 or 501. Decisions: "Webhooks". */
export async function createWebhook(context: Context, input: CreateWebhookInput): Promise<WebhookWithSecret> {
  const { companyId } = context.actor;
  requireUrl(context, input.url);
  await permitOwner(context);
  const key = requireKey(context);
  await requireReached(context, input.after);
  const webhookId = await retry(() => attempt(context, input));
  return { webhookId, secret: secretOf(key, { companyId, id: webhookId, generation: 1 }) };
}

/** Takes a free slot, any, so that those who come together seldom want the same. Undefined if somebody else has just taken it. */
async function attempt(
  { db, actor }: Context,
  { url, actions, after }: CreateWebhookInput,
): Promise<string | undefined> {
  const { companyId } = actor;
  const slots = await db.$queryRaw<{ slot: number }[]>`SELECT w.slot FROM webhooks w WHERE w.company_id = ${companyId}`;
  const taken = new Set(slots.map(({ slot }) => slot));
  const open = Array.from({ length: mostWebhooks }, (_, index) => index + 1).filter((slot) => !taken.has(slot));
  const free = open[Math.floor(Math.random() * open.length)];
  if (free === undefined) throw failure('TOO_MANY_WEBHOOKS', { maximum: mostWebhooks });
  const position = after ?? null;
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH ${company(actor)}, made AS (
      INSERT INTO webhooks AS w (company_id, id, slot, url, actions, position, due_at)
      SELECT company.id, ${newId()}, ${free}::integer, ${url}, ${[...new Set(actions ?? [])]}::text[]::activity_action[],
        coalesce(${position}::bigint, (SELECT last_sequence FROM companies WHERE id = ${companyId})), now()
      FROM company WHERE ${stillOwner(actor)}
      ON CONFLICT (company_id, slot) DO NOTHING RETURNING w.id
    )
    SELECT id FROM made`);
  return rows[0]?.id;
}
