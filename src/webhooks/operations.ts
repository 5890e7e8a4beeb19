import type { Context } from '../context.js';
import type { Webhook as WebhookRow } from '../generated/client/client.js';
import type { ActivityAction, EventOrigin } from '../generated/client/enums.js';
import { company, requireToken, retry, unrevokedToken } from '../operations/operation.js';
import { badInput, type FieldError, failure, notFound } from '../platform/failures/index.js';
import { emptySql, joinSql, newId, rawSql, type Sql, sql } from '../platform/postgres/index.js';
import { type Actor, keyOf } from '../policies/access.js';
import { OpenAddresses, urlProblem } from './addresses.js';
import { lagOf, state } from './queue.js';
import { secretOf } from './signature.js';

/** Requires that the caller owns the company. Throws 403. */
async function permitOwner({ db, actor }: Context): Promise<void> {
  const person = await db.person.findUnique({ where: keyOf(actor, actor.personId), select: { isOwner: true } });
  if (!person?.isOwner) throw failure('OWNER_REQUIRED');
}

/** The same in the statement that writes, for one who has just lost it, or the token. Reads the step `token(id)`. */
const stillOwner = ({ companyId, personId }: Actor) => sql`EXISTS (SELECT FROM token) AND EXISTS (
  SELECT o.id FROM people o WHERE o.company_id = ${companyId} AND o.id = ${personId} AND o.is_owner AND o.suspended_at IS NULL)`;

/** After a write that has changed nothing: requires that the caller still has a valid token, and owns the company. Throws 401 or 403. */
async function requireStillOwner(context: Context): Promise<void> {
  await requireToken(context);
  await permitOwner(context);
}

type Columns = 'id' | 'url' | 'actions' | 'exceptOrigins' | 'disabledAt' | 'failingSince' | 'waitUntil' | 'position';

export interface Webhook extends Pick<WebhookRow, Columns | 'insertedAt' | 'updatedAt'> {
  previousUntil: Date | null;
  state: 'active' | 'failing' | 'disabled';
  disabledReason: 'owner' | 'operator' | 'gone' | 'failing' | null;
  lag: bigint;
  retries: number;
}

/** The webhooks of the caller's company, oldest first. Throws 403. */
export async function loadWebhooks(context: Context): Promise<Webhook[]> {
  await permitOwner(context);
  return readWebhooks(context, sql`TRUE`);
}

/** One of them. Throws 403 or 404. */
export async function loadWebhook(context: Context, id: string): Promise<Webhook> {
  await permitOwner(context);
  const [webhook] = await readWebhooks(context, sql`held.id = ${id}`);
  if (!webhook) throw notFound('webhook', id);
  return webhook;
}

const readWebhooks = ({ db, actor: { companyId } }: Context, condition: Sql): Promise<Webhook[]> =>
  db.$queryRaw<Webhook[]>(sql`
    SELECT held.id, held.url, held.actions::text[] AS actions, held.except_origins::text[] AS "exceptOrigins",
      CASE WHEN held.previous_until[1] > now() THEN held.previous_until[1] END AS "previousUntil",
      ${state} AS state, held.disabled_reason AS "disabledReason", held.disabled_at AS "disabledAt",
      held.failing_since AS "failingSince",
      CASE WHEN held.disabled_at IS NULL AND held.wait_until > now() THEN held.wait_until END AS "waitUntil", q.position,
      ${lagOf(companyId)}::bigint AS lag, held.inserted_at AS "insertedAt", held.updated_at AS "updatedAt", q.retries
    FROM webhooks held JOIN companies c ON c.id = ${companyId} CROSS JOIN LATERAL (
      SELECT count(r.last_error)::integer AS retries, least(held.position, min(r.sequence) FILTER (WHERE r.last_error IS NULL) - 1) AS position
      FROM webhook_retries r WHERE r.company_id = ${companyId} AND r.webhook_id = held.id AND NOT r.once
    ) q
    WHERE held.company_id = ${companyId} AND ${condition}
    ORDER BY held.inserted_at, held.id`);

/** Requires that this gateway sends webhooks. Throws 501. */
function requireKey({ webhooks: { keys } }: Context): string {
  const [key] = keys;
  if (key === undefined) throw failure('NOT_CONFIGURED', { setting: 'WEBHOOK_KEY' });
  return key;
}

/** Requires a URL to which webhooks may be sent, as far as can be known now. Throws 400. */
function requireUrl(context: Context, url: string): void {
  const { allow, own } = context.webhooks;
  const problem = urlProblem(url, { open: new OpenAddresses(allow), own });
  if (problem) throw badInput([{ field: 'input.url', ...problem }], context);
}

/** Requires a sequence that the company has reached: what is after a later one would be left out. Throws 400. */
async function requireReached(context: Context, after: number | null | undefined): Promise<void> {
  if (after == null) return;
  const { db, actor } = context;
  const [company] = await db.$queryRaw<{ last: bigint }[]>`
    SELECT last_sequence AS last FROM companies WHERE id = ${actor.companyId}`;
  const last = Number(company?.last ?? 0);
  const message = `must be at most ${last}, the sequence of the last event`;
  if (after > last) throw badInput([{ field: 'input.afterSequence', code: 'too_large', message }], context);
}

/** For the `extensions.check` of a mutation: a list of actions names at least one. */
export const checkedActions = ({ input }: { input?: { actions?: readonly unknown[] | null } }): FieldError[] =>
  input?.actions?.length === 0
    ? [{ field: 'input.actions', code: 'too_short', message: 'must name at least one action' }]
    : [];

const mostWebhooks = 20;

interface CreateWebhookInput {
  url: string;
  actions?: readonly ActivityAction[] | null | undefined;
  exceptOrigins?: readonly EventOrigin[] | null | undefined;
  afterSequence?: number | null | undefined;
}

/** What a mutation of a webhook returns. */
export interface ChangedWebhook {
  webhookId: string;
}

export interface WebhookWithSecret extends ChangedWebhook {
  secret: string;
}

/** Makes a webhook, which starts now or after a given event. Throws 400, 403, 409 or 501. */
export async function createWebhook(context: Context, input: CreateWebhookInput): Promise<WebhookWithSecret> {
  const { companyId } = context.actor;
  requireUrl(context, input.url);
  await permitOwner(context);
  const key = requireKey(context);
  await requireReached(context, input.afterSequence);
  const webhookId = await retry(context, () => attempt(context, input));
  return { webhookId, secret: secretOf(key, { companyId, id: webhookId, generation: 1 }) };
}

/** Takes a free slot, any, so that those who come together seldom want the same. Undefined if somebody else has just taken it. */
async function attempt(
  context: Context,
  { url, actions, exceptOrigins, afterSequence }: CreateWebhookInput,
): Promise<string | undefined> {
  const { db, actor } = context;
  const { companyId } = actor;
  const slots = await db.$queryRaw<{ slot: number }[]>`SELECT w.slot FROM webhooks w WHERE w.company_id = ${companyId}`;
  const taken = new Set(slots.map(({ slot }) => slot));
  const open = Array.from({ length: mostWebhooks }, (_, index) => index + 1).filter((slot) => !taken.has(slot));
  const free = open[Math.floor(Math.random() * open.length)];
  if (free === undefined) throw failure('TOO_MANY_WEBHOOKS', { maximum: mostWebhooks });
  const rows = await db.$queryRaw<{ id: string }[]>(sql`
    WITH ${company(actor)}, ${unrevokedToken(actor)}, made AS (
      INSERT INTO webhooks AS w (company_id, id, token_id, slot, url, actions, except_origins, position, next_attempt_at)
      SELECT company.id, ${newId()}, ${actor.tokenId}, ${free}::integer, ${url}, ${[...new Set(actions ?? [])]}::text[]::activity_action[],
        ${[...new Set(exceptOrigins ?? [])]}::text[]::event_origin[], coalesce(${afterSequence ?? null}::bigint, (SELECT last_sequence FROM companies WHERE id = ${companyId})), now()
      FROM company WHERE ${stillOwner(actor)}
      ON CONFLICT (company_id, slot) DO NOTHING RETURNING w.id
    )
    SELECT id FROM made`);
  if (rows.length === 0) await requireStillOwner(context);
  return rows[0]?.id;
}

/** How many old secrets may sign beside the new one, each for a day. The table has no place for more. */
const mostOldSecrets = 5;

interface UpdateWebhookInput {
  id: string;
  url?: string | null | undefined;
  /** Null for all actions; undefined to leave them as they are. */
  actions?: readonly ActivityAction[] | null | undefined;
  /** Null for none; undefined to leave them as they are. */
  exceptOrigins?: readonly EventOrigin[] | null | undefined;
  enabled?: boolean | null | undefined;
  endOldSecrets?: boolean | null | undefined;
}

/**
 * Changes what is given of a webhook. Throws 400, 403 or 404. A change of URL, position or state begins a new epoch: what is
 * in hand would otherwise overtake a replay.
 */
export async function updateWebhook(context: Context, input: UpdateWebhookInput): Promise<ChangedWebhook> {
  const { id, url } = input;
  if (url != null) requireUrl(context, url);
  await permitOwner(context);
  if (!(await update(context, id, changesOf(input)))) throw notFound('webhook', id);
  return { webhookId: id };
}

/** Has everything after an event sent, again or for the first time. Throws 400, 403 or 404. */
export async function replayWebhook(
  context: Context,
  { id, afterSequence }: { id: string; afterSequence: number },
): Promise<ChangedWebhook> {
  await permitOwner(context);
  await requireReached(context, afterSequence);
  const changes = [
    sql`position = ${afterSequence}::bigint, attempted = greatest(w.attempted, w.position)`,
    ...beginAgain,
  ];
  if (!(await update(context, id, changes, { forgetsRetries: true }))) throw notFound('webhook', id);
  return { webhookId: id };
}

/** Makes a new secret, beside which the old one signs for a day unless all old ones end. Throws 403, 404, 429 or 501. */
export async function rotateWebhookSecret(
  context: Context,
  { id, endOldSecrets }: { id: string; endOldSecrets?: boolean | null | undefined },
): Promise<WebhookWithSecret> {
  await permitOwner(context);
  const key = requireKey(context);
  const kept = sql`w.previous_until[1:${rawSql(String(mostOldSecrets - 1))}]`;
  const previous = endOldSecrets
    ? noOldSecret
    : sql`previous_until = array_prepend((now() + interval '24 hours')::timestamptz, ${kept})`;
  const changes = [sql`generation = w.generation + 1`, previous];
  const row = await update(context, id, changes, endOldSecrets ? {} : { condition: hasPlaceForSecret });
  if (!row) throw (await waitForSecret(context, id)) ?? notFound('webhook', id);
  return {
    webhookId: id,
    secret: secretOf(key, { companyId: context.actor.companyId, id, generation: row.generation }),
  };
}

interface UpdateOptions {
  /** Whether nothing that waits for a retry is sent any more. */
  forgetsRetries?: boolean;
  /** On the row `w`. */
  condition?: Sql;
}

/** Changes a webhook of an owner. Undefined if there is none, or its condition does not hold. Throws 401 or 403. */
async function update(
  context: Context,
  id: string,
  changes: Sql[],
  { forgetsRetries = false, condition = sql`TRUE` }: UpdateOptions = {},
): Promise<{ generation: number } | undefined> {
  const { db, actor } = context;
  const { companyId } = actor;
  // Citus cannot run a part that never holds: it looks for its table on the worker by a name that is not there.
  const forgotten = forgetsRetries
    ? sql`, forgotten AS (
      DELETE FROM webhook_retries r USING updated
      WHERE r.company_id = ${companyId} AND r.webhook_id = updated.id AND NOT r.once
    )`
    : emptySql;
  const [row] = await db.$queryRaw<{ generation: number }[]>(sql`
    WITH ${unrevokedToken(actor)}, updated AS (
      UPDATE webhooks w SET ${joinSql([sql`updated_at = now(), next_attempt_at = now()`, ...changes])}
      WHERE w.company_id = ${companyId} AND w.id = ${id} AND ${stillOwner(actor)} AND ${condition}
      RETURNING w.id, w.generation
    )${forgotten}
    SELECT generation FROM updated`);
  if (!row) await requireStillOwner(context);
  return row;
}

const noOldSecret = sql`previous_until = ARRAY[]::timestamptz[]`;

/** A new epoch ends what the gateway that delivers right now still has in hand. */
const beginAgain = [sql`epoch = w.epoch + 1, failures = 0, waits = 0, failing_since = NULL, wait_until = NULL`];

function changesOf({ url, actions, exceptOrigins, enabled, endOldSecrets }: UpdateWebhookInput): Sql[] {
  const changes: Sql[] = [];
  if (url != null) changes.push(sql`url = ${url}`);
  if (actions !== undefined) changes.push(sql`actions = ${[...new Set(actions ?? [])]}::text[]::activity_action[]`);
  if (exceptOrigins !== undefined)
    changes.push(sql`except_origins = ${[...new Set(exceptOrigins ?? [])]}::text[]::event_origin[]`);
  if (endOldSecrets) changes.push(noOldSecret);
  if (enabled === true) changes.push(sql`disabled_at = NULL, disabled_reason = NULL`);
  if (enabled === false) changes.push(sql`disabled_at = now(), disabled_reason = 'owner'`);
  return url != null || enabled === true ? [...changes, ...beginAgain] : changes;
}

/** Each old secret signs for as long as was said: then there may be no place for one more. Citus takes no now() inside COALESCE. */
const hasPlaceForSecret = sql`(w.previous_until[${rawSql(String(mostOldSecrets))}] <= now()) IS NOT FALSE`;

/** How an owner's new secret fails for which there is no place before the oldest one has ended. */
async function waitForSecret({ db, actor }: Context, id: string) {
  const [row] = await db.$queryRaw<{ seconds: number }[]>(sql`
    SELECT ceil(extract(epoch FROM w.previous_until[${rawSql(String(mostOldSecrets))}] - now()))::integer AS seconds
    FROM webhooks w
    WHERE w.company_id = ${actor.companyId} AND w.id = ${id} AND NOT ${hasPlaceForSecret}`);
  return row && failure('RATE_LIMITED', { retryAfter: Math.max(1, row.seconds), limit: 'secrets' });
}

/** Deletes a webhook with its log. What is on its way may still arrive. Throws 403 or 404. */
export async function deleteWebhook(context: Context, { id }: { id: string }): Promise<{ id: string }> {
  const { db, actor } = context;
  await permitOwner(context);
  const deleted = await db.$executeRaw(sql`
    WITH ${unrevokedToken(actor)}
    DELETE FROM webhooks w WHERE w.company_id = ${actor.companyId} AND w.id = ${id} AND ${stillOwner(actor)}`);
  if (deleted === 0) {
    await requireStillOwner(context);
    throw notFound('webhook', id);
  }
  return { id };
}

/** The most that waits to be sent once to one webhook. */
const mostQueued = 100;
/** To an endpoint that only fails, how much may fail in a minute, with what waits to be sent once. */
const mostFailed = 10;

export interface QueuedEvent {
  webhookId: string;
  /** The id with which it arrives. */
  eventId: string;
}

/** Queues a ping. Waits for no endpoint. Throws 403, 404, 429 or 501. */
export async function pingWebhook(context: Context, { id }: { id: string }): Promise<QueuedEvent> {
  await permitSending(context, id);
  return { webhookId: id, eventId: await queue(context, id, null) };
}

/** Queues an event to be sent once more. Waits for no endpoint. Throws 403, 404, 429 or 501. */
export async function redeliverWebhookEvent(
  context: Context,
  { id, eventId }: { id: string; eventId: string },
): Promise<QueuedEvent> {
  await permitSending(context, id);
  await queue(context, id, await sequenceOf(context, eventId));
  return { webhookId: id, eventId };
}

async function permitSending(context: Context, id: string): Promise<void> {
  await loadWebhook(context, id);
  requireKey(context);
}

/** Returns the id of what waits to be sent. */
async function queue(context: Context, id: string, sequence: number | null): Promise<string> {
  const { db, actor } = context;
  const { companyId } = actor;
  const record = newId();
  const waiting = sql`(SELECT count(r.record) FROM webhook_retries r
    WHERE r.company_id = ${companyId} AND r.webhook_id = ${id} AND r.once)`;
  const failing = sql`${waiting} + (SELECT count(l.id) FROM webhook_attempts l
    WHERE l.company_id = ${companyId} AND l.webhook_id = ${id} AND l.outcome <> 'acknowledged'
      AND l.attempted_at > now() - interval '1 minute')`;
  const [queued] = await db.$queryRaw<{ record: string }[]>(sql`
    WITH ${company(actor)}, ${unrevokedToken(actor)}, webhook AS (
      UPDATE webhooks w SET next_attempt_at = now()
      WHERE w.company_id = ${companyId} AND w.id = ${id} AND ${stillOwner(actor)}
        AND ${waiting} < ${mostQueued}::integer
        AND (w.waits = 0 OR ${failing} < ${mostFailed}::integer)
      RETURNING w.id
    ), queued AS (
      INSERT INTO webhook_retries AS r (company_id, webhook_id, record, once, sequence, next_attempt_at)
      SELECT company.id, webhook.id, ${record}, true, ${sequence}::bigint, now()
      FROM company, webhook RETURNING r.record
    )
    SELECT record FROM queued`);
  if (!queued) {
    await requireStillOwner(context);
    throw await refusal(context, { id, waiting });
  }
  return record;
}

/** Says which of the two bounds it was. */
async function refusal({ db, actor: { companyId } }: Context, { id, waiting }: { id: string; waiting: Sql }) {
  const [row] = await db.$queryRaw<{ isFailing: boolean }[]>(sql`
    SELECT w.waits > 0 AND ${waiting} < ${mostQueued}::integer AS "isFailing"
    FROM webhooks w WHERE w.company_id = ${companyId} AND w.id = ${id}`);
  if (row?.isFailing) return failure('RATE_LIMITED', { retryAfter: 60, limit: 'pings' });
  return failure('RATE_LIMITED', { retryAfter: 10, limit: 'queue' });
}

/** Of an event that others may hear of. Throws 404. */
async function sequenceOf({ db, actor: { companyId } }: Context, id: string): Promise<number> {
  const [event] = await db.$queryRaw<{ sequence: bigint }[]>(sql`
    SELECT a.sequence FROM activities a
    WHERE a.company_id = ${companyId} AND a.id = ${id} AND a.sequence IS NOT NULL AND NOT EXISTS (
      SELECT d.id FROM resource_hub_documents d
      WHERE d.company_id = ${companyId} AND d.id = a.document_id AND d.state = 'draft')`);
  if (!event) throw notFound('event', id);
  return Number(event.sequence);
}
