import { eventSource } from '../events/source.js';
import type { Webhook } from '../generated/client/client.js';
import { purgeRows } from '../platform/administration/index.js';
import { type Database, sql, type Transaction } from '../platform/postgres/index.js';
import { PolledFigures } from '../platform/telemetry/index.js';
import { lagOf, state } from './queue.js';

interface ListedWebhook extends Pick<Webhook, 'id' | 'companyId' | 'url' | 'disabledReason' | 'failingSince'> {
  state: 'active' | 'failing' | 'disabled';
  /** By how many events it is behind. */
  lag: number;
}

const lag = lagOf(sql`held.company_id`);

/** The webhooks of all companies, the one that is most behind first. */
export const listWebhooks = (db: Transaction): Promise<ListedWebhook[]> =>
  db.$queryRaw<ListedWebhook[]>(sql`
    SELECT held.id, held.company_id AS "companyId", held.url, held.disabled_reason AS "disabledReason", ${state} AS state,
      ${lag}::float8 AS lag, held.failing_since AS "failingSince"
    FROM webhooks held JOIN companies c ON c.id = held.company_id
    ORDER BY lag DESC, held.company_id, held.inserted_at, held.id`);

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
    SELECT count(w.id) FILTER (WHERE w.state = 'active')::integer AS active,
      count(w.id) FILTER (WHERE w.state = 'failing')::integer AS failing,
      count(w.id) FILTER (WHERE w.state = 'disabled')::integer AS disabled,
      coalesce(max(w.lag) FILTER (WHERE w.state <> 'disabled'), 0) AS lag,
      (SELECT coalesce(extract(epoch FROM now() - min(recorded_at)), 0)::integer FROM ${events} WHERE sequence IS NULL) AS unnumbered
    FROM (
      SELECT held.id, ${state} AS state, ${lag}::float8 AS lag FROM webhooks held JOIN ${tenants} c ON c.id = held.company_id
    ) w`);
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
