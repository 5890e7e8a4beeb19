import { eventSource } from '../events/source.js';
import type { Webhook } from '../generated/client/client.js';
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

interface ListedWebhook extends Pick<Webhook, 'id' | 'companyId' | 'url' | 'disabledReason' | 'failingSince'> {
  state: 'active' | 'failing' | 'disabled';
  /** By how many events it is behind. */
  lag: number;
}

/** The webhooks of all companies, the one that is most behind first. */
export const listWebhooks = (db: Transaction): Promise<ListedWebhook[]> =>
  db.$queryRaw<ListedWebhook[]>(sql`
    SELECT w.id, w.company_id AS "companyId", w.url, w.disabled_reason AS "disabledReason",
      CASE WHEN w.disabled_at IS NOT NULL THEN 'disabled' WHEN w.waits > 0 THEN 'failing' ELSE 'active' END AS state,
      greatest(c.last_sequence - ${doneThrough}, 0)::float8 AS lag, w.failing_since AS "failingSince"
    FROM webhooks w JOIN companies c ON c.id = w.company_id ${withOldest}
    ORDER BY lag DESC, w.company_id, w.inserted_at, w.id`);

/** Disables the webhooks with this id that are not, and returns their number. */
export const disableWebhook = (db: Transaction, id: string): Promise<number> =>
  db.$executeRaw(sql`
    UPDATE webhooks SET disabled_at = now(), disabled_reason = 'operator' WHERE id = ${id} AND disabled_at IS NULL`);

/** Disables the webhooks that the token made since then. Returns them. */
export const disableWebhooksOf = (
  db: Database,
  { companyId, tokenId }: { companyId: string; tokenId: string },
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

const noFigures = { active: 0, failing: 0, disabled: 0, lag: 0, unnumbered: 0 };

/**
 * For metrics: how many webhooks of all companies there are in each state, by how many events the slowest is behind, and
 * the seconds for which the oldest event has waited for its number.
 */
export const webhookFigures = (db: Database) => new PolledFigures(() => readFigures(db), noFigures);

async function readFigures(db: Database): Promise<typeof noFigures> {
  const { tenants, events } = eventSource;
  const [figures = noFigures] = await db.$queryRaw<(typeof noFigures)[]>(sql`
    SELECT count(w.id) FILTER (WHERE w.disabled_at IS NULL AND w.waits = 0)::integer AS active,
      count(w.id) FILTER (WHERE w.disabled_at IS NULL AND w.waits > 0)::integer AS failing,
      count(w.id) FILTER (WHERE w.disabled_at IS NOT NULL)::integer AS disabled,
      coalesce(max(c.last_sequence - ${doneThrough}) FILTER (WHERE w.disabled_at IS NULL), 0)::float8 AS lag,
      (SELECT coalesce(extract(epoch FROM now() - min(recorded_at)), 0)::integer FROM ${events} WHERE sequence IS NULL) AS unnumbered
    FROM webhooks w JOIN ${tenants} c ON c.id = w.company_id ${withOldest}`);
  return figures;
}

/** Deletes the attempts of more than that many days ago, by the clock of the database. Returns their number. */
export const purgeAttempts = (db: Database, { days, batch = 1_000 }: { days: number; batch?: number }) =>
  purgeRows(db, {
    tenants: 'companies',
    table: 'webhook_attempts',
    key: ['id'],
    time: 'attempted_at',
    until: sql`now() - make_interval(days => ${days}::integer)`,
    batch,
  });
