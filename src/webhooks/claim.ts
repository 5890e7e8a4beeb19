import type { EventSource, OutboxEvent, SourceRow } from '../platform/outbox/index.js';
import { rawSql, type Sql, sql, type Transaction } from '../platform/postgres/index.js';
import { failuresBeforeWaiting, type Lease, untilLeaseEnds } from './lease.js';

/** Something to send, and what is known of it. */
export interface Item {
  /** What it waits for, and what waits for it: a goal, file or document; for what is sent once, only itself. */
  record: string;
  /** Undefined for a ping. */
  event: OutboxEvent | undefined;
  /** Undefined for an event that is sent for the first time. */
  retry: { id: string; once: boolean; failures: number; attempted: number } | undefined;
  /** Whether it may have been sent before. */
  mayHaveBeenSent: boolean;
  /** Seconds since the event was recorded. */
  age: number;
}

export interface Claim {
  url: string;
  generation: number;
  /** The generations before it whose secrets sign too, the newest first. */
  older: number[];
  position: number;
  /** How far events had been attempted before. */
  attempted: number;
  failures: number;
  waits: number;
  isFailing: boolean;
  /** Whether it has only failed for five days. */
  isHopeless: boolean;
  /** Seconds since 1970 by the clock of the database: that of a gateway may be wrong. */
  clock: number;
  /** Where its position is once all items are settled. */
  reach: number;
  items: Item[];
  /** Records of which nothing is left to send, because it was purged or is not wanted any more. */
  emptied: { record: string; through: number }[];
}

/** What the statement returns: the webhook with each item, or alone. */
type ClaimRow = Omit<Claim, 'position' | 'attempted' | 'reach' | 'items' | 'emptied'> & {
  position: bigint;
  webhookAttempted: bigint;
  reach: bigint;
  record: string | null;
  retryId: string | null;
  retrySequence: bigint | null;
  retryAttempted: bigint | null;
  retryFailures: number;
  once: boolean;
  age: number | null;
  eventId: string | null;
} & SourceRow;

function claimFrom(source: EventSource, companyId: string, first: ClaimRow, rows: ClaimRow[]): Claim {
  const { url, generation, older, failures, waits, isFailing, isHopeless, clock } = first;
  const numbers = {
    position: Number(first.position),
    attempted: Number(first.webhookAttempted),
    reach: Number(first.reach),
  };
  const items: Item[] = [];
  const emptied: Claim['emptied'] = [];
  for (const row of rows) {
    if (row.record === null) continue;
    const isPing = row.once && row.retrySequence === null;
    if (row.eventId === null && !isPing) {
      emptied.push({ record: row.record, through: Number(row.retrySequence) });
      continue;
    }
    const event = row.eventId === null ? undefined : source.eventOf(companyId, row);
    items.push(itemOf(row, event, numbers.attempted));
  }
  const webhook = { url, generation, older, failures, waits, isFailing, isHopeless, clock };
  return { ...webhook, ...numbers, items, emptied };
}

function itemOf(row: ClaimRow, event: OutboxEvent | undefined, attempted: number): Item {
  const { record, retryId, once, retryFailures, retryAttempted, retrySequence, age } = row;
  const base = { record: record as string, event, age: age ?? 0 };
  const sequence = event?.sequence ?? 1;
  if (retryId === null) return { ...base, retry: undefined, mayHaveBeenSent: sequence <= attempted };
  const isOldest = event === undefined || event.sequence === Number(retrySequence);
  const failures = isOldest ? retryFailures : 0;
  const retry = { id: retryId, once, failures, attempted: Number(retryAttempted) };
  const mayHaveBeenSent = sequence <= Number(retryAttempted) || (once && event !== undefined && sequence <= attempted);
  return { ...base, retry, mayHaveBeenSent };
}

/** How many events are looked at, and sent, before it is recorded how far that came. */
const most = { looked: 120, events: 60, retries: 10, chain: 5 };

/** Behind that many events there may be more than one batch claims. */
export const manyBehind = most.events;

/**
 * Takes what is to be sent next: retries that are due, with what waits behind them, and the next events that no retry
 * holds back. Notes how far that goes before it is sent, and renews the lease. Undefined if the lease was lost.
 *
 * An endpoint that only fails is tried with its oldest failure and its next event.
 *
 * The steps of the statement, from top to bottom:
 * - `w`: the webhook, locked, if the lease still holds, and whether it is disabled or waits as a whole
 * - `looked`: the events behind its position, so many that the look is bounded
 * - `wanted`: those of them that it wants, and whose record has no retry: later events of such a record wait behind it
 * - `next`: as many of those as one batch sends
 * - `reach`: where the position is once `next` is settled
 * - `retries`: what was asked to be sent once, and the oldest failure of each record that is due
 * - `chain`: the events of each retry's record, from the one that failed on, a few at a time
 * - `noted`, `held`: how far events may have been sent, before they are: a gateway that dies then leaves a mark
 * - the last SELECT: the webhook with each item
 */
export async function claim(
  db: Transaction,
  source: EventSource,
  lease: Lease,
  { failures }: { failures: number },
): Promise<Claim | undefined> {
  const { companyId, webhookId, leaseId, epoch } = lease;
  const isWaiting = failures >= failuresBeforeWaiting;
  const own = sql`r.company_id = ${companyId} AND r.webhook_id = ${webhookId}`;
  const { columns, joins } = source.select(companyId);
  const { events, record, kind, origin } = source;
  const retry = sql`r.id, r.record, r.once, r.sequence, r.failures, r.attempted`;
  const oldest = sql`SELECT * FROM (
    SELECT ${retry} FROM w CROSS JOIN webhook_retries r WHERE ${own} AND NOT r.once AND NOT w.is_paused ORDER BY r.sequence LIMIT 1
  ) oldest`;
  const due = sql`SELECT * FROM (
    SELECT ${retry} FROM w CROSS JOIN webhook_retries r
    WHERE ${own} AND NOT r.once AND NOT w.is_paused AND r.due_at <= now() ORDER BY r.due_at LIMIT ${literal(most.retries)}
  ) due`;
  const ofRecord = (wanted: Sql) =>
    sql`a.company_id = ${companyId} AND a.sequence IS NOT NULL AND ${record} = ${wanted}`;
  const rows = await db.$queryRaw<ClaimRow[]>(sql`
    WITH w AS MATERIALIZED (
      SELECT url, actions, except_origins, generation, position, attempted, failures, waits, ARRAY(
          SELECT webhooks.generation - p.age::integer FROM unnest(webhooks.previous_until) WITH ORDINALITY AS p(until, age)
          WHERE p.until > now() ORDER BY p.age
        ) AS older,
        failing_since IS NOT NULL AS is_failing, coalesce(failing_since <= now() - interval '5 days', false) AS is_hopeless,
        (disabled_at IS NOT NULL OR coalesce(wait_until > now(), false)) AS is_paused
      FROM webhooks WHERE company_id = ${companyId} AND id = ${webhookId} AND lease_id = ${leaseId} AND epoch = ${epoch}
      FOR NO KEY UPDATE
    ), looked AS MATERIALIZED (
      SELECT a.id, a.sequence, ${kind} AS kind, ${origin} AS origin, ${record} AS record
      FROM w CROSS JOIN LATERAL (
        SELECT * FROM ${events} a WHERE a.company_id = ${companyId} AND a.sequence > w.position
        ORDER BY a.sequence LIMIT ${literal(most.looked)}
      ) a WHERE NOT w.is_paused
    ), wanted AS MATERIALIZED (
      SELECT l.id, l.sequence, l.record FROM w CROSS JOIN looked l
      WHERE (cardinality(w.actions) = 0 OR l.kind = ANY (w.actions)) AND l.origin <> ALL (w.except_origins)
        AND NOT EXISTS (SELECT r.id FROM webhook_retries r WHERE ${own} AND r.record = l.record AND NOT r.once)
      ORDER BY l.sequence LIMIT ${literal((isWaiting ? 1 : most.events) + 1)}
    ), next AS (
      SELECT * FROM wanted ORDER BY sequence LIMIT ${literal(isWaiting ? 1 : most.events)}
    ), reach AS (
      SELECT coalesce(CASE WHEN (SELECT count(id) FROM wanted) > (SELECT count(id) FROM next)
        THEN (SELECT max(sequence) FROM next) ELSE (SELECT max(sequence) FROM looked) END, w.position) AS sequence FROM w
    ), retries AS MATERIALIZED (
      SELECT * FROM (
        SELECT ${retry} FROM w CROSS JOIN webhook_retries r
        WHERE ${own} AND r.once AND r.due_at <= now() ORDER BY r.due_at LIMIT ${literal(most.retries)}
      ) once
      UNION ALL ${isWaiting ? oldest : due}
    ), chain AS MATERIALIZED (
      SELECT r.id AS retry_id, a.id, a.sequence FROM w CROSS JOIN retries r CROSS JOIN LATERAL (
        SELECT a.id, a.sequence FROM ${events} a
        WHERE ${ofRecord(sql`r.record`)} AND a.sequence BETWEEN r.sequence AND w.position
          AND (cardinality(w.actions) = 0 OR ${kind} = ANY (w.actions)) AND ${origin} <> ALL (w.except_origins)
        ORDER BY a.sequence LIMIT ${literal(isWaiting ? 1 : most.chain)}
      ) a WHERE NOT r.once
      UNION ALL
      SELECT r.id, a.id, a.sequence FROM retries r
      JOIN ${events} a ON a.company_id = ${companyId} AND a.sequence = r.sequence WHERE r.once
    ), noted AS (
      UPDATE webhooks SET lease_until = ${untilLeaseEnds}, attempted = greatest(w.attempted, reach.sequence)
      FROM w, reach WHERE company_id = ${companyId} AND id = ${webhookId}
    ), held AS (
      UPDATE webhook_retries r SET due_at = ${untilLeaseEnds}, attempted = greatest(r.attempted, c.last)
      FROM (
        SELECT retries.id, coalesce(max(chain.sequence), 1) AS last
        FROM retries LEFT JOIN chain ON chain.retry_id = retries.id GROUP BY retries.id
      ) c WHERE ${own} AND r.id = c.id
    )
    SELECT w.url, w.generation, w.older, w.position, w.attempted AS "webhookAttempted",
      w.failures, w.waits, w.is_failing AS "isFailing", w.is_hopeless AS "isHopeless",
      extract(epoch FROM clock_timestamp())::float8 AS clock, reach.sequence AS reach,
      item.record, item.retry_id AS "retryId", item.retry_sequence AS "retrySequence",
      item.retry_attempted AS "retryAttempted", item.failures AS "retryFailures", item.once,
      extract(epoch FROM clock_timestamp() - a.recorded_at)::float8 AS age,
      a.id AS "eventId", ${columns}
    FROM w CROSS JOIN reach LEFT JOIN (
      SELECT record, id AS event_id, NULL AS retry_id, NULL::bigint AS retry_sequence, NULL::bigint AS retry_attempted,
        0 AS failures, false AS once FROM next
      UNION ALL
      SELECT r.record, c.id, r.id, r.sequence, r.attempted, r.failures, r.once
      FROM retries r LEFT JOIN chain c ON c.retry_id = r.id
    ) item ON TRUE
    LEFT JOIN ${events} a ON a.company_id = ${companyId} AND a.id = item.event_id ${joins}
    ORDER BY a.sequence`);
  return rows[0] && claimFrom(source, companyId, rows[0], rows);
}

const literal = (number: number) => rawSql(String(number));
