import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventCursor } from '../src/events/event.js';
import { insertWebhook } from '../test/support/deliveries.js';
import { cpuOf, cpuOfFamily, residentMegabytes } from '../test/support/processes.js';
import type { Json } from '../test/support/world.js';
import { startSystem } from '../tools/consistency/system.js';

// What it costs to number, to deliver and to read events when a million of them are behind one endpoint, compared with
// ten thousand: `npm run build && npx tsx bench/backlog.ts [events]`

const [many = 1_000_000] = process.argv.slice(2).map(Number);
const few = 10_000;
const stretch = 5_000;
const goals = 1_000;

const system = await startSystem({ gateways: 1 });
const { pool } = system;
const gateway = system.gateways[0];
const sql = async (text: string, values: unknown[] = []): Promise<Json[]> => (await pool.query(text, values)).rows;
const [postmaster] = await sql("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid");
const receiver = createServer((request, response) => request.resume().on('end', () => response.writeHead(204).end()));
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

/** Milliseconds of the processors for each event, and events in a second, while `read` goes on from one number to another. */
async function costOf(read: () => Promise<number>, [from, to]: [number, number]): Promise<string> {
  const used = () => [cpuOf(gateway?.pid ?? 0), cpuOfFamily(postmaster?.pid)] as const;
  const at = async (number: number) => {
    for (let now = 0; ; await sleep(20)) {
      now = await read();
      if (now >= number) return { now, time: performance.now(), cpu: used() };
    }
  };
  const [start, end] = [await at(from), await at(to)];
  const events = end.now - start.now;
  const [own = 0, database = 0] = [0, 1].map(
    (part) => ((end.cpu[part] ?? 0) - (start.cpu[part] ?? 0)) * (1000 / events),
  );
  const rate = Math.round(events / ((end.time - start.time) / 1000));
  return `gateway ${own.toFixed(3)} ms, PostgreSQL ${database.toFixed(3)} ms, ${rate} a second`;
}

/** The median time of a query, in milliseconds. */
async function timeOf(token: string, query: string, variables: Json = {}): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < 21; round += 1) {
    const since = performance.now();
    const response = await fetch(`${gateway?.base}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { errors } = (await response.json()) as Json;
    if (errors) throw new Error(JSON.stringify(errors));
    times.push(performance.now() - since);
  }
  return `${times.toSorted((a, b) => a - b)[10]?.toFixed(1)} ms`;
}

async function measure(name: string, events: number): Promise<void> {
  console.log(`\n${events} events`);
  await system.begin(name);
  const [company, owner] = [`${name}-company`, `${name}-client-0`];
  await sql('UPDATE people SET is_owner = true WHERE id = $1', [owner]);
  const { token } = await system.issueToken(owner);
  await sql(
    `INSERT INTO goals (company_id, space_id, id, name, company_level, space_level)
     SELECT $1, $2, $3 || n, 'Goal', 70, 100 FROM generate_series(1, ${goals}) n`,
    [company, `${name}-space`, `${name}-many-`],
  );

  const since = performance.now();
  await sql(
    `INSERT INTO activities (company_id, action, author_id, goal_id, name)
     SELECT $1, 'goal_closed', $2, $3 || (1 + n % ${goals}), 'Goal' FROM generate_series(1, ${events}) n`,
    [company, owner, `${name}-many-`],
  );
  console.log(`written in ${Math.round((performance.now() - since) / 1000)} s`);
  const lastSequence = async () =>
    Number((await sql('SELECT last_sequence AS last FROM companies WHERE id = $1', [company]))[0]?.last);
  console.log(`numbering the first: ${await costOf(lastSequence, [1, stretch])}`);
  console.log(`numbering the last:  ${await costOf(lastSequence, [events - stretch, events])}`);
  // What PostgreSQL does by itself after a while, so that it is not measured with what follows.
  await sql('VACUUM ANALYZE');

  const id = await insertWebhook({ sql }, company, url, { disabled_at: new Date(), disabled_reason: 'owner' });
  const position = async () => Number((await sql('SELECT position FROM webhooks WHERE id = $1', [id]))[0]?.position);
  const deliverFrom = async (from: number) => {
    await sql(
      `UPDATE webhooks SET position = $2, epoch = epoch + 1, disabled_at = NULL, disabled_reason = NULL, next_attempt_at = now()
       WHERE id = $1`,
      [id, from],
    );
    const cost = await costOf(position, [from + 1_000, Math.min(from + stretch + 1_000, events)]);
    const memory = residentMegabytes(gateway?.pid ?? 0);
    const webhook = await timeOf(token, webhookQuery, { id });
    await sql("UPDATE webhooks SET epoch = epoch + 1, disabled_at = now(), disabled_reason = 'owner' WHERE id = $1", [
      id,
    ]);
    console.log(`delivering after ${from}: ${cost}; ${memory} MB; the webhook is read in ${webhook}`);
  };
  const cursorAt = async (sequence: number) => {
    const [event] = await sql('SELECT id FROM activities WHERE company_id = $1 AND sequence = $2', [company, sequence]);
    return eventCursor(sequence, event?.id);
  };
  for (const from of [0, Math.floor(events / 2), events - stretch - 1_000]) {
    await deliverFrom(from);
    const after = from === 0 ? null : await cursorAt(from);
    console.log(`a page of the feed after ${from}: ${await timeOf(token, feedQuery, { after })}`);
  }
}

const feedQuery =
  'query ($after: String) { events(first: 100, after: $after) { nodes { id type sequence timestamp } } }';
const webhookQuery = `query ($id: ID!) { webhook(id: $id) {
  state lag retrying attempts(first: 20) { totalCount nodes { type sequence outcome } } } }`;

try {
  await measure('few', few);
  await measure('many', many);
} finally {
  await system.stop();
  receiver.close();
  receiver.closeAllConnections();
}
