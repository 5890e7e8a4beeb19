import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../test/support/client.js';
import { insertWebhook, secretFor, until } from '../../test/support/deliveries.js';
import { openStream } from '../../test/support/openStream.js';
import { acknowledge, refuse, startReceiver } from '../../test/support/receiver.js';
import type { Json } from '../../test/support/world.js';
import type { History } from './history.js';
import { Ledger } from './ledger.js';
import type { System } from './system.js';
import { idsIn } from './workspace.js';

const settleMilliseconds = 45_000;
const page = 'query ($after: String) { events(first: 100, after: $after) { nodes { id } pageInfo { endCursor } } }';

/** An endpoint that fails in any way until it is healed, and what it has acknowledged. */
async function startHostileReceiver() {
  const ledger = new Ledger();
  let isHealed = false;
  const endpoint = await startReceiver((received, response) => {
    ledger.receive(received);
    const dice = isHealed ? 0 : Math.random();
    const succeed = () => {
      ledger.acknowledged.add(received.sequence);
      acknowledge(received, response);
    };
    if (dice < 0.4) succeed();
    else if (dice < 0.6) setTimeout(succeed, 200 * Math.random());
    else if (dice < 0.75) refuse(500)(received, response);
    else if (dice < 0.8) refuse(503, { 'retry-after': '1' })(received, response);
    else if (dice < 0.95) response.destroy();
    else setTimeout(() => response.destroy(), 1_500);
  });
  const heal = () => {
    isHealed = true;
  };
  return { ledger, endpoint, heal };
}

/**
 * Whoever hears of the events of a history, whatever is killed: an endpoint, one that fails, a stream that comes back, and
 * a reader of the feed. Resolves when all of them listen.
 */
export async function listen({ pool, gateways, issueToken }: System, { prefix }: History) {
  const companyId = `${prefix}-company`;
  const { token } = await issueToken(idsIn(prefix).readers[0] ?? '');
  const sql = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows;
  const ledger = new Ledger();
  const endpoint = await startReceiver((received, response) => {
    ledger.receive(received);
    ledger.acknowledged.add(received.sequence);
    acknowledge(received, response);
  });
  const webhookId = await insertWebhook({ sql }, companyId, endpoint.url);
  endpoint.verifyWith(secretFor(companyId, webhookId));
  const hostile = await startHostileReceiver();
  await insertWebhook({ sql }, companyId, hostile.endpoint.url, { slot: 2 });
  const over = new AbortController();
  const heard = { stream: [] as string[], feed: [] as string[] };

  async function followStream(onListening: () => void): Promise<void> {
    let lastEventId: string | undefined;
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const base = gateways[turn % gateways.length]?.base;
      const stream = base && (await openStream(base, token, { lastEventId }).catch(() => undefined));
      if (!stream) {
        await sleep(50);
        continue;
      }
      over.signal.addEventListener('abort', () => stream.close());
      if (over.signal.aborted) stream.close();
      lastEventId = stream.lastEventId;
      onListening();
      for (let block = await stream.next(); block; block = await stream.next()) {
        if (block.data) heard.stream.push(block.data.data?.events.id ?? JSON.stringify(block.data));
        lastEventId = block.id;
      }
    }
  }

  async function readFeed(): Promise<void> {
    let after: string | null = null;
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      await sleep(50);
      const base = gateways[turn % gateways.length]?.base;
      if (!base) continue;
      const { body }: { body: Json } = await new Client(base)
        .graphql(token, page, { after })
        .catch(() => ({ body: {} }));
      const { nodes = [], pageInfo }: Json = body.data?.events ?? {};
      for (const { id } of nodes) heard.feed.push(id);
      after = pageInfo?.endCursor ?? after;
    }
  }

  const numbered = () =>
    sql('SELECT id, sequence::integer FROM activities WHERE company_id = $1 ORDER BY sequence', [companyId]);
  const haveAll = async (count: number) => {
    const [{ imported }] = await sql(
      `SELECT count(*)::integer AS imported FROM activities WHERE company_id = $1 AND origin = 'import'`,
      [companyId],
    );
    return (
      Math.min(
        ledger.acknowledged.size,
        hostile.ledger.acknowledged.size,
        heard.stream.length + imported,
        heard.feed.length,
      ) >= count
    );
  };
  /** Lets the time pass that a killed gateway's webhook waits. Whoever has the lease may live: that must do no harm. */
  const passTime = async () => {
    await sql('UPDATE webhook_retries SET next_attempt_at = now() WHERE company_id = $1', [companyId]);
    await sql(
      `UPDATE webhooks SET next_attempt_at = now(), wait_until = CASE WHEN wait_until IS NULL THEN NULL ELSE now() END
       WHERE company_id = $1`,
      [companyId],
    );
  };
  const endLeases = () =>
    sql('UPDATE webhooks SET locked_until = now() WHERE company_id = $1 AND locked_by IS NOT NULL', [companyId]);
  /** What fails is tried again soon, so that it fails again while something is killed. */
  async function hurry(): Promise<void> {
    for (; !over.signal.aborted; await sleep(300)) await passTime().catch(() => {});
  }

  const running = [readFeed(), hurry()];
  await new Promise<void>((onListening) => void running.push(followStream(onListening)));

  /** What they have not heard of as it happened. Call it when all is over. */
  return async (): Promise<string[]> => {
    const isNumbered = (rows: { sequence: number | null }[]) => rows.every(({ sequence }) => sequence !== null);
    const events = await until(numbered, isNumbered, settleMilliseconds);
    hostile.heal();
    await endLeases();
    await until(() => haveAll(events.length), Boolean, settleMilliseconds).catch(() => {});
    over.abort();
    await Promise.all(running);
    const ids = events.map(({ id }) => id);
    // A stream begins behind what the import has brought, of which the feed and the endpoint hear.
    const imported = (
      await sql(`SELECT id FROM activities WHERE company_id = $1 AND origin = 'import' ORDER BY sequence`, [companyId])
    ).map(({ id }) => id);
    heard.stream.unshift(...imported.filter((id) => !heard.stream.includes(id)));
    const problems = Object.entries(heard).flatMap(([who, heardIds]) => {
      const first = ids.findIndex((id, index) => heardIds[index] !== id);
      if (first < 0 && heardIds.length === ids.length) return [];
      const what = first < 0 ? heardIds[ids.length] : heardIds[first];
      return [`the ${who} has ${heardIds.length} of ${ids.length} events, at ${first}: ${what}`];
    });
    if (events.some(({ sequence }, index) => sequence !== index + 1)) problems.push('the sequences have gaps');
    for (const [who, each] of [
      ['the endpoint', { ledger, endpoint }],
      ['the endpoint that fails', hostile],
    ] as const) {
      const { size } = each.ledger.acknowledged;
      if (size !== ids.length) problems.push(`${who} has ${size} of ${ids.length} events`);
      problems.push(...each.ledger.problems.map((problem) => `${who}: ${problem}`));
      await each.endpoint.close().catch((error: Error) => problems.push(error.message));
    }
    return problems;
  };
}
