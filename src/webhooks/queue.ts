import { eventSource, recordOfEvent as record } from '../events/source.js';
import type { OutboxEvent, SourceRow } from '../platform/outbox/index.js';
import { newIds, rawSql, type Sql, sql, type Transaction } from '../platform/postgres/index.js';
import type { Delivery } from './sender.js';

const { events, tenants, kind, origin } = eventSource;

/** An event about something that only a newer version knows is a record of its own. */
const anyRecord = sql`coalesce(${record}, 'activity ' || a.id)`;

/** The right of one gateway to deliver to a webhook. It ends by itself after 20 s, which each statement of its holder renews. */
export interface Lease {
  companyId: string;
  webhookId: string;
  /** The holder, as `locked_by` of the webhook and of the rows that it has taken. */
  holder: string;
  epoch: number;
}

const untilLeaseEnds = sql`now() + interval '20 seconds'`;

const literal = (number: number) => rawSql(String(number));

const rowsOf = ({ companyId, webhookId }: Lease) => sql`r.company_id = ${companyId} AND r.webhook_id = ${webhookId}`;

/** A step: the webhook, locked, if the lease still holds. All that a statement does depends on it. */
const lock = (name: string, { companyId, webhookId, holder, epoch }: Lease) => sql`${rawSql(name)} AS MATERIALIZED (
  SELECT w.*, (w.disabled_at IS NOT NULL OR coalesce(w.wait_until > now(), false)) AS is_paused,
    w.failures >= ${literal(failuresBeforeWaiting)} AS is_probe
  FROM webhooks w
  WHERE w.company_id = ${companyId} AND w.id = ${webhookId} AND w.locked_by = ${holder} AND w.epoch = ${epoch}
  FOR NO KEY UPDATE
)`;

/** Whether the webhook `held` gets the event `a`. */
const isWanted = sql`(cardinality(held.actions) = 0 OR ${kind} = ANY (held.actions)) AND ${origin} <> ALL (held.except_origins)`;

/** By how many events a webhook `held` of a company `c` is behind: those after its position, and those that wait in rows. */
export const lagOf = (companyId: string | Sql) => sql`(greatest(c.last_sequence - held.position, 0) + (
  SELECT coalesce(sum(1 + (
    SELECT count(a.id) FROM ${events} a
    WHERE a.company_id = ${companyId} AND a.sequence IS NOT NULL AND ${record} = r.record
      AND a.sequence > r.sequence AND a.sequence <= held.position AND ${isWanted}
  )), 0) FROM webhook_retries r WHERE r.company_id = ${companyId} AND r.webhook_id = held.id AND NOT r.once
))`;

/** How a webhook `held` is. It is failing from the first attempt that fails to the next one that succeeds. */
export const state = sql`CASE WHEN held.disabled_at IS NOT NULL THEN 'disabled'
  WHEN held.waits > 0 OR held.failing_since IS NOT NULL THEN 'failing' ELSE 'active' END`;

/**
 * Takes the lease of every webhook of the company that has work and no holder. May be repeated, if its outcome was lost.
 * `isBusy` says that another gateway delivers to one that has work: it may be about to finish.
 */
export async function acquireLeases(db: Transaction, companyId: string, holder: string) {
  const hasEvents = sql`(w.disabled_at IS NULL AND w.position < (SELECT last_sequence FROM ${tenants} WHERE id = ${companyId}))`;
  const rows = await db.$queryRaw<{ id: string; epoch: number | null; isBusy: boolean }[]>(sql`
    WITH open AS (
      SELECT w.id FROM webhooks w
      WHERE w.company_id = ${companyId} AND (w.locked_by = ${holder} OR w.locked_until <= now()
        OR (w.locked_until IS NULL AND (w.next_attempt_at <= now()
          OR (${hasEvents} AND (w.wait_until IS NULL OR w.wait_until <= now())))))
      FOR NO KEY UPDATE SKIP LOCKED
    ), acquired AS (
      UPDATE webhooks w SET locked_by = ${holder}, locked_until = ${untilLeaseEnds}, next_attempt_at = NULL
      FROM open WHERE w.company_id = ${companyId} AND w.id = open.id RETURNING w.id, w.epoch
    )
    SELECT w.id, acquired.epoch, coalesce(${hasEvents} AND w.locked_until > now(), false) AS "isBusy"
    FROM webhooks w LEFT JOIN acquired ON acquired.id = w.id WHERE w.company_id = ${companyId}`);
  const leases = rows.flatMap(({ id: webhookId, epoch }): Lease[] =>
    epoch === null ? [] : [{ companyId, webhookId, holder, epoch }],
  );
  return { leases, isBusy: rows.some(({ isBusy }) => isBusy), hasWebhooks: rows.length > 0 };
}

/**
 * Queues the next events: moves the position, and gives each record the row of its first wanted event, unless it has one,
 * behind which its later events wait. Nothing is queued while something new is due. Undefined if the lease was lost.
 *
 * What it reads by a snapshot from before the lock can only be too little of the events. Whether a record has a row, the
 * unique key decides. A row of a later event is left of a replay that it was locked out of.
 */
export async function fill(db: Transaction, lease: Lease): Promise<{ hasMore: boolean } | undefined> {
  const { companyId, holder } = lease;
  const [row] = await db.$queryRaw<{ hasMore: boolean }[]>(sql`
    WITH company AS NOT MATERIALIZED (SELECT id, last_sequence FROM ${tenants} WHERE id = ${companyId}), ${lock('held', lease)},
    looked AS MATERIALIZED (
      SELECT a.sequence, ${anyRecord} AS record, ${isWanted} AS is_wanted
      FROM held CROSS JOIN LATERAL (
        SELECT * FROM ${events} a WHERE a.company_id = ${companyId} AND a.sequence > held.position
        ORDER BY a.sequence LIMIT 480
      ) a
      WHERE NOT held.is_paused AND NOT EXISTS (
        SELECT r.record FROM webhook_retries r WHERE ${rowsOf(lease)} AND NOT r.once AND num_nulls(r.last_error) = 1
          AND r.next_attempt_at <= now() AND r.locked_by IS DISTINCT FROM ${holder}
      )
    ), filled AS (
      INSERT INTO webhook_retries AS r (company_id, webhook_id, record, sequence, next_attempt_at)
      SELECT company.id, held.id, l.record, l.sequence, now()
      FROM company, held, (SELECT record, min(sequence) AS sequence FROM looked WHERE is_wanted GROUP BY record) l
      ON CONFLICT (company_id, webhook_id, record) DO UPDATE SET sequence = excluded.sequence, attempts = 0, failures = 0,
        last_error = NULL, next_attempt_at = excluded.next_attempt_at, locked_by = NULL
      WHERE r.sequence > excluded.sequence
    ), moved AS (
      UPDATE webhooks w SET position = greatest(w.position, (SELECT max(sequence) FROM looked)), locked_until = ${untilLeaseEnds}
      FROM held WHERE w.company_id = ${companyId} AND w.id = held.id RETURNING w.position
    )
    SELECT moved.position < company.last_sequence AS "hasMore" FROM company, moved`);
  return row;
}

/** A row that its holder has taken, and what is to be sent where. */
export interface Taken {
  url: string;
  generation: number;
  /** The generations before it whose secrets sign too, the newest first. */
  older: number[];
  /** Seconds since 1970 by the clock of the database: that of a gateway may be wrong. */
  clock: number;
  record: string;
  /** Whether an owner has asked for it, so that nothing waits behind it. */
  once: boolean;
  isPing: boolean;
  /** How often the event may have been sent, with the attempt for which it was taken. */
  attempts: number;
  /** How many of them were failures that use up a retry. */
  failures: number;
  /** Whether its endpoint waits as a whole, and is tried with it. */
  isProbe: boolean;
  /** Whether it may have been sent before it had this row. */
  wasSent: boolean | null;
  /** Seconds since the event was recorded. */
  age: number | null;
  /** Undefined for a ping, and if it was purged or is not wanted any more. */
  event: OutboxEvent | undefined;
}

type TakenRow = SourceRow &
  Omit<Taken, 'record'> & { record: string | null; isPaused: boolean; eventId: string | null };

/** How the reason begins of an event that could not be made: it says nothing of the endpoint, which others are tried first with. */
export const notSent = 'not sent: ';

/** The most rows in hand, beside those sent once: a number, as PostgreSQL plans with it and not with a parameter. */
export const mostTaken = 240;

/**
 * Takes rows that are due, and counts the attempt before it is made: if a gateway dies then, the next one is marked. Of an
 * endpoint that waits as a whole, takes the oldest row that has failed and the next one that has not; while it `isPaused`,
 * only what is sent once. Undefined if the lease was lost.
 */
export async function take(db: Transaction, lease: Lease, most: number) {
  const { companyId, holder } = lease;
  const { columns, joins } = eventSource.select(companyId);
  // Asked once, not of each row: no row is read for what is not to be taken.
  const rows = (condition: Sql) => sql`SELECT r.record, r.sequence, r.once, r.locked_by FROM webhook_retries r
    WHERE ${rowsOf(lease)} AND (SELECT ${condition} FROM held)`;
  const probe = (isNew: 0 | 1) => {
    const first = (condition: Sql) => sql`(${rows(sql`is_probe AND NOT is_paused`)} AND NOT r.once
      AND num_nulls(r.last_error) = ${literal(isNew)} AND ${condition} ORDER BY r.sequence LIMIT 1)`;
    const wasSent = sql`(r.last_error LIKE ${`${notSent}%`}) IS NOT TRUE`;
    return sql`SELECT * FROM (${first(wasSent)} UNION ALL ${first(sql`TRUE`)} LIMIT 1) p`;
  };
  const found = await db.$queryRaw<TakenRow[]>(sql`
    WITH ${lock('held', lease)}, due AS MATERIALIZED (
      SELECT d.record, d.sequence, d.once FROM (
        (${rows(sql`TRUE`)} AND r.once AND r.next_attempt_at <= now() ORDER BY r.next_attempt_at LIMIT 10)
        UNION ALL (
          SELECT * FROM (
            ${rows(sql`NOT is_probe AND NOT is_paused`)} AND NOT r.once AND r.next_attempt_at <= now()
              AND r.locked_by IS DISTINCT FROM ${holder}
            ORDER BY r.next_attempt_at, r.sequence LIMIT ${literal(mostTaken)}
          ) n LIMIT ${most}::integer
        ) UNION ALL (${probe(0)}) UNION ALL (${probe(1)})
      ) d WHERE d.locked_by IS DISTINCT FROM ${holder}
    ), taken AS (
      UPDATE webhook_retries r SET attempts = r.attempts + 1, locked_by = ${holder}
      FROM due WHERE ${rowsOf(lease)} AND r.record = due.record
      RETURNING r.record, r.once, r.sequence, r.attempts, r.failures
    ), again AS (
      SELECT max(due.sequence) AS sequence FROM due WHERE due.once
    ), renewed AS (
      UPDATE webhooks w SET locked_until = ${untilLeaseEnds}, attempted = greatest(w.attempted, again.sequence)
      FROM held, again WHERE w.company_id = ${companyId} AND w.id = held.id
    )
    SELECT held.url, held.generation, ARRAY(
        SELECT held.generation - p.age::integer FROM unnest(held.previous_until) WITH ORDINALITY AS p(until, age)
        WHERE p.until > now() ORDER BY p.age
      ) AS older, extract(epoch FROM clock_timestamp())::float8 AS clock, held.is_paused AS "isPaused",
      taken.record, taken.once, taken.sequence IS NULL AS "isPing", taken.attempts, taken.failures, held.is_probe AND NOT taken.once AS "isProbe",
      taken.sequence <= greatest(held.attempted, CASE WHEN taken.once THEN held.position ELSE again.sequence END) AS "wasSent",
      extract(epoch FROM clock_timestamp() - a.recorded_at)::float8 AS age, a.id AS "eventId", ${columns}
    FROM held CROSS JOIN again LEFT JOIN taken ON TRUE LEFT JOIN LATERAL (
      SELECT * FROM ${events} a WHERE a.company_id = ${companyId} AND a.sequence = taken.sequence OFFSET 0
    ) a ON taken.once OR (${anyRecord} = taken.record AND ${isWanted}) ${joins}
    ORDER BY taken.once DESC, taken.sequence`);
  const [first] = found;
  if (!first) return undefined;
  const taken = found.flatMap(({ record, eventId, ...row }): Taken[] => {
    const event = eventId === null ? undefined : eventSource.eventOf(companyId, row);
    return record === null ? [] : [{ ...row, record, event }];
  });
  return { isPaused: first.isPaused, rows: taken };
}

/** What became of a row that was taken. */
export interface Outcome {
  record: string;
  attempts: number;
  failures: number;
  /** Seconds until it is due again. Undefined if its record goes on with its next event, or the row ends. */
  pause: number | undefined;
  /** The line of the log. Undefined if nothing was sent. */
  attempt?: Attempt;
}

interface Attempt extends Delivery {
  eventId: string;
  type: string;
  sequence: number | undefined;
  number: number;
  outcome: 'acknowledged' | 'failed' | 'given_up';
}

/** What the attempts say of the endpoint, in the order in which they ended. */
export interface Score {
  hasSucceeded: boolean;
  /** Failures after the last success: of events, and of what is sent once, which counts until the endpoint waits. */
  failures: number;
  failuresOnce: number;
  /** Whether one of them was made to try an endpoint that waits. */
  hasProbeFailed: boolean;
  /** Seconds; 0 if it has not asked to wait. */
  retryAfter: number;
  isGone: boolean;
}

/** A step that makes of `held` and a score how the endpoint is from now on. */
function judge({ hasSucceeded, failures, failuresOnce, hasProbeFailed, retryAfter, isGone }: Score): Sql {
  const pauses = pausesOfEndpoint.map(spread);
  const most = literal(failuresBeforeWaiting);
  return sql`endpoint AS MATERIALIZED (
      SELECT h.id, j.failed, h.waits AS waits_before, now() AS at,
        CASE WHEN j.failed < ${most} THEN 0 WHEN j.is_news THEN h.waits + 1 ELSE h.waits END AS waits,
        CASE
          WHEN j.failed >= ${most} AND j.is_news THEN now() + make_interval(secs => greatest(${retryAfter}::float8,
            (${pauses}::float8[])[least(h.waits + 1, ${literal(pauses.length)})]))
          WHEN j.failed >= ${most} THEN greatest(h.wait_until, now() + make_interval(secs => ${retryAfter}::float8))
          WHEN ${retryAfter}::float8 > 0 THEN now() + make_interval(secs => ${retryAfter}::float8)
          WHEN h.waits = 0 AND h.wait_until > now() THEN h.wait_until
        END AS wait_until,
        CASE WHEN j.failed > 0 AND (${hasSucceeded}::boolean OR h.failing_since IS NULL) THEN now()
          WHEN j.failed > 0 THEN h.failing_since END AS failing_since,
        CASE WHEN ${isGone}::boolean THEN 'gone'
          WHEN j.failed >= ${most} AND j.is_news AND NOT ${hasSucceeded}::boolean
            AND h.failing_since <= now() - interval '5 days' THEN 'failing' END AS disabled
      FROM held h CROSS JOIN LATERAL (
        SELECT ${failures}::integer + CASE WHEN ${hasSucceeded}::boolean OR h.failures < ${most} THEN ${failuresOnce}::integer
          ELSE 0 END AS counted
      ) c CROSS JOIN LATERAL (
        SELECT c.counted + CASE WHEN ${hasSucceeded}::boolean THEN 0 ELSE h.failures END AS failed,
          (h.waits = 0 AND c.counted > 0) OR (${hasProbeFailed}::boolean AND (h.wait_until > now()) IS NOT TRUE) AS is_news
      ) j
    )`;
}

/** How the webhook is once the outcomes are recorded. */
export interface Finished {
  position: number;
  /** How often the endpoint has waited as a whole since its last success, and had before. */
  waits: number;
  waitsBefore: number;
  /** Why it was disabled by this. */
  disabled: 'gone' | 'failing' | null;
  /** Whether no event may be sent to it now. */
  isPaused: boolean;
  /** Whether a record goes on with its next event. */
  hasNext: boolean;
}

/**
 * Records what became of rows: logs the attempts, moves each settled row to its record's next event or deletes it, has the
 * others wait, and computes for how long the endpoint waits as a whole. Undefined if the lease was lost.
 *
 * If the position was moved between its snapshot and its lock, it could miss a record's next event: then it does nothing,
 * and is run again.
 */
export async function finish(
  db: Transaction,
  lease: Lease,
  outcomes: readonly Outcome[],
  score: Score,
): Promise<Finished | undefined> {
  const { companyId, webhookId, holder } = lease;
  const [row] = await db.$queryRaw<(Finished & { isFresh: boolean })[]>(sql`
    WITH company AS NOT MATERIALIZED (SELECT id FROM ${tenants} WHERE id = ${companyId}), ${lock('locked', lease)},
    held AS MATERIALIZED (
      SELECT locked.* FROM locked JOIN webhooks seen
        ON seen.company_id = ${companyId} AND seen.id = ${webhookId} AND seen.position = locked.position
    ), outcomes AS MATERIALIZED (
      SELECT o.*, now() + make_interval(secs => o.pause) AS due,
        coalesce(o.attempt ->> 'reason', 'status ' || (o.attempt ->> 'status')) AS error
      FROM held, json_to_recordset(${JSON.stringify(outcomes)}::json) AS o(
        record text, attempts integer, failures integer, pause float8, attempt json)
    ), logged AS (
      INSERT INTO webhook_attempts AS l
        (company_id, id, webhook_id, event_id, type, sequence, attempt, outcome, status, reason, milliseconds, response, attempted_at)
      SELECT company.id, ${newIds()}, held.id, t."eventId", t.type, t.sequence, t.number, t.outcome, t.status, t.reason,
        t.milliseconds, t.response, now()
      FROM company, held, outcomes o, json_to_record(o.attempt) AS t(
        "eventId" text, type text, sequence bigint, number integer, outcome text, status integer, reason text,
        milliseconds integer, response text)
      WHERE o.attempt IS NOT NULL
    ), settled AS MATERIALIZED (
      SELECT r.record, CASE WHEN NOT r.once THEN (
        SELECT a.sequence FROM ${events} a
        WHERE a.company_id = ${companyId} AND a.sequence IS NOT NULL AND ${record} = r.record
          AND a.sequence > r.sequence AND a.sequence <= held.position AND ${isWanted}
        ORDER BY a.sequence LIMIT 1
      ) END AS next
      FROM held CROSS JOIN outcomes o JOIN webhook_retries r ON ${rowsOf(lease)} AND r.record = o.record
      WHERE o.pause IS NULL AND r.locked_by = ${holder}
    ), moved AS (
      UPDATE webhook_retries r SET sequence = s.next, attempts = 0, failures = 0, next_attempt_at = now(), locked_by = NULL
      FROM settled s WHERE ${rowsOf(lease)} AND r.record = s.record AND s.next IS NOT NULL
    ), removed AS (
      DELETE FROM webhook_retries r USING settled s WHERE ${rowsOf(lease)} AND r.record = s.record AND s.next IS NULL
    ), kept AS (
      UPDATE webhook_retries r SET attempts = o.attempts, failures = o.failures, next_attempt_at = o.due, locked_by = NULL,
        last_error = CASE WHEN o.failures > r.failures THEN o.error ELSE r.last_error END
      FROM outcomes o WHERE ${rowsOf(lease)} AND r.record = o.record AND o.pause IS NOT NULL AND r.locked_by = ${holder}
    ), ${judge(score)}, changed AS (
      UPDATE webhooks w SET failures = e.failed, waits = e.waits, wait_until = e.wait_until, failing_since = e.failing_since,
        disabled_at = CASE WHEN e.disabled IS NULL THEN w.disabled_at ELSE e.at END,
        disabled_reason = coalesce(e.disabled, w.disabled_reason), locked_until = ${untilLeaseEnds}
      FROM endpoint e WHERE w.company_id = ${companyId} AND w.id = e.id
    )
    SELECT e.id IS NOT NULL AS "isFresh", locked.position::float8 AS position, e.waits, e.waits_before AS "waitsBefore", e.disabled,
      locked.disabled_at IS NOT NULL OR e.disabled IS NOT NULL OR coalesce(e.wait_until > now(), false) AS "isPaused",
      EXISTS (SELECT s.record FROM settled s WHERE s.next IS NOT NULL) AS "hasNext"
    FROM locked LEFT JOIN endpoint e ON TRUE`);
  return row?.isFresh === false ? finish(db, lease, outcomes, score) : row;
}

/** Gives a lease back, if it still holds, and notes when the webhook has work again. Returns whether it has some now. */
export async function releaseLease(db: Transaction, lease: Lease): Promise<boolean> {
  const { companyId, webhookId, holder } = lease;
  // An endpoint that waits as a whole tries its oldest failure then, whatever that one's own time is.
  const [row] = await db.$queryRaw<{ isDue: boolean | null }[]>(sql`
    WITH held AS MATERIALIZED (
      SELECT w.id FROM webhooks w
      WHERE w.company_id = ${companyId} AND w.id = ${webhookId} AND w.locked_by = ${holder} FOR NO KEY UPDATE
    ), work AS MATERIALIZED (
      SELECT held.id, (SELECT min(r.next_attempt_at) FROM webhook_retries r WHERE ${rowsOf(lease)} AND r.once) AS once,
        (SELECT min(r.next_attempt_at) FROM webhook_retries r WHERE ${rowsOf(lease)} AND NOT r.once) AS retry,
        (SELECT last_sequence FROM ${tenants} WHERE id = ${companyId}) AS last_sequence
      FROM held
    ), released AS (
      UPDATE webhooks w SET locked_by = NULL, locked_until = NULL, next_attempt_at = least(w.next_attempt_at, work.once, CASE
          WHEN w.disabled_at IS NOT NULL THEN NULL
          WHEN w.position < work.last_sequence THEN coalesce(w.wait_until, '-infinity')
          WHEN w.waits > 0 AND work.retry IS NOT NULL THEN w.wait_until
          WHEN work.retry IS NOT NULL THEN greatest(work.retry, w.wait_until) END)
      FROM work WHERE w.company_id = ${companyId} AND w.id = work.id RETURNING w.next_attempt_at
    )
    SELECT next_attempt_at <= now() AS "isDue" FROM released`);
  return row?.isDue === true;
}

/** Seconds from each failure of an event to its next attempt. After the last one it is given up. */
const pausesOfEvent = [5, 60, 600, 3_600, 4 * 3_600, 12 * 3_600, 24 * 3_600, 24 * 3_600];

/** Seconds for which an endpoint that only fails waits as a whole: the first, the second and every further time. */
const pausesOfEndpoint = [10, 60, 600];

/** Failures in a row after which the endpoint waits as a whole. */
const failuresBeforeWaiting = 5;

/** Apart by a fifth, so that what failed together does not come together again. */
const spread = (seconds: number) => seconds * (0.8 + 0.4 * Math.random());

/** Seconds until the next attempt after that many failures; undefined if the event is given up. */
export function pauseAfter(failures: number): number | undefined {
  const pause = pausesOfEvent[failures - 1];
  return pause === undefined ? undefined : spread(pause);
}
