import type { EventSource } from '../platform/outbox/index.js';
import { sql, type Transaction } from '../platform/postgres/index.js';

/** The right to deliver to one webhook, which ends by itself unless it is renewed. */
export interface Lease {
  companyId: string;
  webhookId: string;
  leaseId: string;
  epoch: number;
}

/** A lease, and how often its endpoint has failed in a row. */
export interface NewLease extends Lease {
  failures: number;
}

/** What {@link acquireLease} has found. */
interface Leased {
  /** The webhooks with work that nobody delivers to now. */
  leases: NewLease[];
  /** Whether another gateway delivers to one that has work: it may be about to finish. */
  isBusy: boolean;
  /** Whether the company has any webhook. */
  hasWebhooks: boolean;
}

/** For how long a lease holds after each statement of its holder: as long as a request may take, and to spare. */
export const untilLeaseEnds = sql`now() + interval '20 seconds'`;

/**
 * Takes the lease of every webhook of the company that has work. May be repeated, if its outcome was lost.
 *
 * The steps of the statement: `open`: the webhooks with work whose lease is free, locked unless somebody takes them just
 * now; `claimed`: they get the lease.
 */
export async function acquireLease(
  db: Transaction,
  { tenants }: EventSource,
  companyId: string,
  leaseId: string,
): Promise<Leased> {
  const hasEvents = sql`w.disabled_at IS NULL AND w.position < (SELECT last_sequence FROM ${tenants} WHERE id = ${companyId})`;
  const rows = await db.$queryRaw<{ id: string; epoch: number | null; failures: number; isBusy: boolean }[]>(sql`
    WITH open AS (
      SELECT w.id FROM webhooks w
      WHERE w.company_id = ${companyId} AND (w.lease_id = ${leaseId} OR w.lease_until <= now()
        OR (w.lease_until IS NULL AND (w.due_at <= now()
          OR (${hasEvents} AND (w.wait_until IS NULL OR w.wait_until <= now())))))
      FOR NO KEY UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE webhooks w SET lease_id = ${leaseId}, lease_until = ${untilLeaseEnds}, due_at = NULL
      FROM open WHERE w.company_id = ${companyId} AND w.id = open.id RETURNING w.id, w.epoch, w.failures
    )
    SELECT w.id, claimed.epoch, claimed.failures, coalesce(${hasEvents} AND w.lease_until > now(), false) AS "isBusy"
    FROM webhooks w LEFT JOIN claimed ON claimed.id = w.id WHERE w.company_id = ${companyId}`);
  const leases = rows.flatMap(({ id, epoch, failures }) =>
    epoch === null ? [] : [{ companyId, webhookId: id, leaseId, epoch, failures }],
  );
  return { leases, isBusy: rows.some(({ isBusy }) => isBusy), hasWebhooks: rows.length > 0 };
}

/**
 * Gives a lease back, and says when the webhook has work again. Returns whether it has some now; false also if the lease
 * was lost.
 */
export async function releaseLease(
  db: Transaction,
  { tenants }: EventSource,
  { companyId, webhookId, leaseId }: Lease,
): Promise<boolean> {
  const own = sql`r.company_id = ${companyId} AND r.webhook_id = ${webhookId}`;
  // An endpoint that waits as a whole tries its oldest failure then, whatever that one's own time is.
  const [row] = await db.$queryRaw<{ isDue: boolean | null }[]>(sql`
    WITH held AS MATERIALIZED (
      SELECT w.id FROM webhooks w
      WHERE w.company_id = ${companyId} AND w.id = ${webhookId} AND w.lease_id = ${leaseId} FOR NO KEY UPDATE
    ), work AS MATERIALIZED (
      SELECT held.id, (SELECT min(r.due_at) FROM webhook_retries r WHERE ${own} AND r.once) AS once,
        (SELECT min(r.due_at) FROM webhook_retries r WHERE ${own} AND NOT r.once) AS retry,
        (SELECT last_sequence FROM ${tenants} WHERE id = ${companyId}) AS last_sequence
      FROM held
    ), released AS (
      UPDATE webhooks w SET lease_id = NULL, lease_until = NULL, due_at = least(w.due_at, work.once, CASE
          WHEN w.disabled_at IS NOT NULL THEN NULL
          WHEN w.position < work.last_sequence THEN coalesce(w.wait_until, '-infinity')
          WHEN w.waits > 0 AND work.retry IS NOT NULL THEN w.wait_until
          WHEN work.retry IS NOT NULL THEN greatest(work.retry, w.wait_until) END)
      FROM work WHERE w.company_id = ${companyId} AND w.id = work.id RETURNING w.due_at
    )
    SELECT due_at <= now() AS "isDue" FROM released`);
  return row?.isDue === true;
}

const minute = 60;
const hour = 60 * minute;

/** Seconds from each failure of an event to its next attempt. After the last one it is given up. */
const pauses = [5, minute, 10 * minute, hour, 4 * hour, 12 * hour, 24 * hour, 24 * hour];

/** Seconds for which an endpoint that only fails waits as a whole: the first, the second and every further time. */
const waits = [10, minute, 10 * minute];

/** Failures in a row after which the endpoint waits as a whole. */
export const failuresBeforeWaiting = 5;

/** The longest that a `Retry-After` is obeyed, in seconds. */
export const longestRetryAfter = hour;

/** The longest that a request is under way, or an attempt that was taken counts as such, in seconds. */
export const inFlight = 20;

/** Apart by a fifth, so that what failed together does not come together again. */
const spread = (seconds: number) => seconds * (0.8 + 0.4 * Math.random());

/** Seconds until the next attempt after that many failures; undefined if it is given up. */
export function pauseAfter(failures: number): number | undefined {
  const pause = pauses[failures - 1];
  return pause === undefined ? undefined : spread(pause);
}

/** Seconds for which the endpoint waits, after it has waited that many times. */
export const waitAfter = (times: number): number => spread(waits[Math.min(times, waits.length - 1)] ?? 0);
