import type { EventSource } from '../platform/outbox/index.js';
import { joinSql, newIds, rawSql, type Sql, sql, type Transaction } from '../platform/postgres/index.js';
import { type Lease, untilLeaseEnds } from './lease.js';

/** Objects as rows of a statement, whose text does not depend on their number. `columns` names their members and types. */
const rowsOf = (entries: readonly object[], columns: string): Sql =>
  sql`(SELECT * FROM json_to_recordset(${JSON.stringify(entries)}::json) AS entry(${rawSql(columns)}))`;

const attemptColumns =
  '"eventId" text, type text, sequence bigint, number integer, outcome text, status integer, reason text, milliseconds integer, response text';
const parkedColumns = 'record text, sequence bigint, failures integer, attempted bigint, pause float8';
const doneColumns = 'record text, through bigint';

/** A line of the log of attempts. */
export interface Attempt {
  eventId: string;
  type: string;
  sequence: number | undefined;
  number: number;
  outcome: 'acknowledged' | 'failed' | 'given_up';
  status: number | undefined;
  reason: string | undefined;
  /** An address that is not open, which is logged and not stored. */
  address?: string | undefined;
  milliseconds: number;
  response: string | undefined;
}

/** The oldest event of a record that has not arrived. */
export interface Parked {
  record: string;
  sequence: number;
  failures: number;
  /** How far events of the record may have been sent. */
  attempted: number;
  /** Seconds until it is due. */
  pause: number;
}

type DisabledReason = 'gone' | 'failing';

export interface Progress {
  position: number;
  /** How far events may have been sent; undefined to leave that as it is. */
  attempted: number | undefined;
  attempts: Attempt[];
  parked: Parked[];
  /** Records that have a retry and are done up to this event: what waits behind it comes next. */
  done: { record: string; through: number }[];
  /** The ids of retries that are sent once, and were. */
  sentOnce: string[];
  failures: number;
  waits: number;
  /** Seconds for which the endpoint waits as a whole; 0 for not, undefined to leave that as it is. */
  wait: number | undefined;
  /** Whether it fails: `since` for from now on. Undefined to leave that as it is. */
  failing: 'no' | 'since' | undefined;
  disabled: DisabledReason | undefined;
}

/**
 * Records how far deliveries came, in one statement, and renews the lease. Returns false, and records nothing, if it was
 * lost.
 *
 * The steps of the statement, from top to bottom:
 * - `held`: the webhook, locked, if the lease still holds; every step below depends on it
 * - `logged`: a line of the log for each attempt
 * - `kept`: a retry for each record whose event failed or is still being sent
 * - `continued`: for records whose retry is done, the next event that waited behind it
 * - `moved`, `removed`: the retry goes on with that event, or ends if there is none
 * - `sent`: what was asked to be sent once, and was
 * - `changed`: position, failures, waits and state of the webhook
 */
export async function complete(
  db: Transaction,
  { events, tenants, record, kind }: EventSource,
  lease: Lease,
  progress: Progress,
): Promise<boolean> {
  const { companyId, webhookId, leaseId, epoch } = lease;
  const { position, attempted, attempts, parked, done, sentOnce, failures, waits, wait, failing, disabled } = progress;
  const own = sql`r.company_id = ${companyId} AND r.webhook_id = ${webhookId}`;
  // Citus takes now() in an assignment, but not inside CASE or COALESCE of one.
  const changes = [
    sql`position = ${position}::bigint, failures = ${failures}::integer, waits = ${waits}::integer, lease_until = ${untilLeaseEnds}`,
    ...(attempted === undefined ? [] : [sql`attempted = ${attempted}::bigint`]),
    ...(wait === 0 ? [sql`wait_until = NULL`] : []),
    ...(wait ? [sql`wait_until = now() + make_interval(secs => ${wait})`] : []),
    ...(failing === 'no' ? [sql`failing_since = NULL`] : []),
    ...(failing === 'since' ? [sql`failing_since = now()`] : []),
    ...(disabled ? [sql`disabled_at = now(), disabled_reason = ${disabled}`] : []),
  ];
  const [row] = await db.$queryRaw<{ isHeld: boolean }[]>(sql`
    WITH company AS NOT MATERIALIZED (SELECT id FROM ${tenants} WHERE id = ${companyId}), held AS MATERIALIZED (
      SELECT id, actions FROM webhooks
      WHERE company_id = ${companyId} AND id = ${webhookId} AND lease_id = ${leaseId} AND epoch = ${epoch} FOR NO KEY UPDATE
    ), logged AS (
      INSERT INTO webhook_attempts AS l
        (company_id, id, webhook_id, event_id, type, sequence, attempt, outcome, status, reason, milliseconds, response, attempted_at)
      SELECT company.id, ${newIds()}, held.id, a."eventId", a.type, a.sequence, a.number, a.outcome, a.status, a.reason,
        a.milliseconds, a.response, now()
      FROM company, held, ${rowsOf(attempts, attemptColumns)} AS a
    ), kept AS (
      INSERT INTO webhook_retries AS r (company_id, id, webhook_id, record, sequence, failures, attempted, due_at)
      SELECT company.id, ${newIds()}, held.id, p.record, p.sequence, p.failures, p.attempted, now() + make_interval(secs => p.pause)
      FROM company, held, ${rowsOf(parked, parkedColumns)} AS p
      ON CONFLICT (company_id, webhook_id, record) DO UPDATE SET sequence = excluded.sequence, failures = excluded.failures,
        attempted = greatest(r.attempted, excluded.attempted), due_at = excluded.due_at
    ), continued AS MATERIALIZED (
      SELECT d.record, (
        SELECT a.sequence FROM ${events} a
        WHERE a.company_id = ${companyId} AND a.sequence IS NOT NULL
          AND ${record} = d.record
          AND a.sequence > d.through AND a.sequence <= ${position}::bigint
          AND (cardinality(held.actions) = 0 OR ${kind} = ANY (held.actions))
        ORDER BY a.sequence LIMIT 1
      ) AS next
      FROM held, ${rowsOf(done, doneColumns)} AS d
    ), moved AS (
      UPDATE webhook_retries r SET sequence = c.next, failures = 0, due_at = now()
      FROM continued c WHERE ${own} AND r.record = c.record AND NOT r.once AND c.next IS NOT NULL
    ), removed AS (
      DELETE FROM webhook_retries r USING continued c WHERE ${own} AND r.record = c.record AND c.next IS NULL
    ), sent AS (
      DELETE FROM webhook_retries r USING held WHERE ${own} AND r.once AND r.id = ANY (${sentOnce}::text[])
    ), changed AS (
      UPDATE webhooks w SET ${joinSql(changes)} FROM held WHERE w.company_id = ${companyId} AND w.id = held.id
    )
    SELECT count(id) = 1 AS "isHeld" FROM held`);
  return row?.isHeld === true;
}
