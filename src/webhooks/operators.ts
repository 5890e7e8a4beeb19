import { eventSource } from '../events/source.js';
import { purgeRows } from '../platform/administration/index.js';
import { type Database, sql, type Transaction } from '../platform/postgres/index.js';
import { PolledFigures } from '../platform/telemetry/index.js';

/** Of each webhook `w`, the oldest event that is queued and has not been sent yet. */
const withOldest = sql`LEFT JOIN (
  SELECT company_id, webhook_id, min(sequence) AS sequence FROM webhook_retries
  WHERE num_nulls(last_error) = 1 AND NOT once GROUP BY company_id, webhook_id
) oldest ON oldest.company_id = w.company_id AND oldest.webhook_id = w.id`;

/** The last event that the webhook is done with, apart from those that wait for a retry. */
const doneThrough = sql`least(w.position, oldest.sequence - 1)`;

/** A webhook of any company, as operators see it. */
interface ListedWebhook {
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
  db.$queryRaw<ListedWebhook[]>(sql`
    SELECT w.id, w.company_id AS "companyId", w.url, w.disabled_reason AS "disabledReason",
      CASE WHEN w.disabled_at IS NOT NULL THEN 'disabled' WHEN w.waits > 0 THEN 'failing' ELSE 'active' END AS state,
      greatest(c.last_sequence - ${doneThrough}, 0) AS lag, w.failing_since AS "failingSince"
    FROM webhooks w JOIN companies c ON c.id = w.company_id ${withOldest}
    ORDER BY lag DESC, w.company_id, w.inserted_at, w.id`);

/** Disables the webhooks with this id that are not, and returns their number. */
export const disableWebhook = (db: Transaction, id: string): Promise<number> =>
  db.$executeRaw(sql`
    UPDATE webhooks SET disabled_at = now(), disabled_reason = 'operator' WHERE id = ${id} AND disabled_at IS NULL`);

interface MadeByToken {
  companyId: string;
  tokenId: string;
}

/** Disables the webhooks that the token made since then. Returns them. */
export const disableWebhooksOf = (
  db: Database,
  { companyId, tokenId }: MadeByToken,
  { since, dryRun }: { since: Date | null; dryRun: boolean },
) => {
  const made = sql`w.company_id = ${companyId} AND w.token_id = ${tokenId} AND w.disabled_at IS NULL
    AND (${since}::timestamptz IS NULL OR w.inserted_at >= ${since})`;
  return db.$queryRaw<{ id: string; url: string }[]>(
    dryRun
      ? sql`SELECT w.id, w.url FROM webhooks w WHERE ${made} ORDER BY w.id`
      : sql`UPDATE webhooks w SET disabled_at = now(), disabled_reason = 'operator', epoch = w.epoch + 1
          WHERE ${made} RETURNING w.id, w.url`,
  );
};

/** How many webhooks of all companies there are in each state, and by how many events the slowest is behind; seconds
 * for which the oldest event has waited for its number. */
interface Figures {
  active: number;
  failing: number;
  disabled: number;
  lag: number;
  unnumbered: number;
}

/** The figures of all webhooks for metrics. */
export const webhookFigures = (db: Database): PolledFigures<Figures> =>
  new PolledFigures(() => readFigures(db), { active: 0, failing: 0, disabled: 0, lag: 0, unnumbered: 0 });

async function readFigures(db: Database): Promise<Figures> {
  const { tenants, events } = eventSource;
  const [row] = await db.$queryRaw<Record<keyof Figures, bigint>[]>(sql`
    SELECT count(w.id) FILTER (WHERE w.disabled_at IS NULL AND w.waits = 0) AS active,
      count(w.id) FILTER (WHERE w.disabled_at IS NULL AND w.waits > 0) AS failing,
      count(w.id) FILTER (WHERE w.disabled_at IS NOT NULL) AS disabled,
      coalesce(max(c.last_sequence - ${doneThrough}) FILTER (WHERE w.disabled_at IS NULL), 0)::bigint AS lag,
      (SELECT coalesce(extract(epoch FROM now() - min(recorded_at)), 0)::bigint FROM ${events} WHERE sequence IS NULL) AS unnumbered
    FROM webhooks w JOIN ${tenants} c ON c.id = w.company_id ${withOldest}`);
  const of = (name: keyof Figures) => Number(row?.[name] ?? 0);
  return {
    active: of('active'),
    failing: of('failing'),
    disabled: of('disabled'),
    lag: of('lag'),
    unnumbered: of('unnumbered'),
  };
}

interface Kept {
  days: number;
  /** The most attempts of one webhook. A longer log is of no use, and its endpoint decides how long it would be. */
  most?: number;
  /** How many one statement deletes at most. */
  batch?: number;
}

/**
 * Deletes the attempts of more than that many days ago, by the clock of the database, and of each webhook the oldest ones
 * of more than so many. Returns their number.
 */
export async function purgeAttempts(db: Database, { days, most = 10_000, batch = 1_000 }: Kept): Promise<number> {
  const old = await purgeRows(db, {
    tenants: 'companies',
    table: 'webhook_attempts',
    key: ['id'],
    time: 'attempted_at',
    until: sql`now() - make_interval(days => ${days}::integer)`,
    batch,
  });
  const webhooks = await db.$queryRaw<Webhook[]>`SELECT w.company_id AS "companyId", w.id FROM webhooks w`;
  let surplus = 0;
  for (const webhook of webhooks) surplus += await purgeSurplus(db, webhook, { most, batch });
  return old + surplus;
}

interface Webhook {
  companyId: string;
  id: string;
}

async function purgeSurplus(
  db: Database,
  { companyId, id }: Webhook,
  { most, batch }: Required<Pick<Kept, 'most' | 'batch'>>,
): Promise<number> {
  const own = sql`l.company_id = ${companyId} AND l.webhook_id = ${id}`;
  let purged = 0;
  for (let count = batch; count === batch; purged += count) {
    count = await db.$executeRaw(sql`
      WITH surplus AS MATERIALIZED (
        SELECT l.attempted_at, l.id FROM webhook_attempts l WHERE ${own}
        ORDER BY l.attempted_at DESC, l.id DESC OFFSET ${most}::integer LIMIT 1
      ), batch AS MATERIALIZED (
        SELECT l.id FROM surplus CROSS JOIN LATERAL (
          SELECT l.id FROM webhook_attempts l WHERE ${own} AND (l.attempted_at, l.id) <= (surplus.attempted_at, surplus.id)
          ORDER BY l.attempted_at, l.id LIMIT ${batch}::integer FOR UPDATE SKIP LOCKED
        ) l
      )
      DELETE FROM webhook_attempts l USING batch WHERE l.company_id = ${companyId} AND l.id = batch.id`);
  }
  return purged;
}
