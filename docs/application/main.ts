// An application with a database of its own, in step with Goalpost: docs/integrating.md, "Two databases".
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { acknowledge, type ExportedFile, exportChanges } from './exporter.js';
import { forgetCursor, takeInEvents } from './reader.js';

const { APPLICATION_URL, GATEWAY = 'http://127.0.0.1:4000', TOKEN = '', PORT = '4100' } = process.env;
const [program = '', ...words] = (process.env.GOALPOST ?? 'npx goalpost').split(' ');

/** Pipes a file into `goalpost import`, and returns the ids of the documents in conflict. Throws if it is refused. */
async function importFile({ text: lines }: ExportedFile, options: string[]): Promise<string[]> {
  const command = spawn(program, [...words, 'import', '-', '--json', ...options], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  command.stdin.end(lines);
  const report = JSON.parse((await text(command.stdout)) || 'null');
  if (!report) throw new Error('goalpost import has failed');
  // biome-ignore lint/suspicious/noExplicitAny: the report of `goalpost import --json`.
  return report.findings.filter(({ what }: any) => what === 'conflict').map(({ id }: any) => id);
}

/** One process at a time: a command may run beside the service, and a file must not overtake an older one. */
async function alone(client: pg.ClientBase, direction: 'in' | 'out', work: () => Promise<void>): Promise<void> {
  await client.query('SELECT pg_advisory_lock(hashtext($1))', [direction]);
  await work().finally(() => client.query('SELECT pg_advisory_unlock(hashtext($1))', [direction]));
}

/** Sends what has changed: all that no acknowledged file has. Says what, in one line. */
const send = (client: pg.ClientBase, { isWhole = false, options = ['--update'] } = {}) =>
  alone(client, 'out', async () => {
    const file = await exportChanges(client, { isWhole });
    if (!file) return;
    const conflicts = await importFile(file, options);
    await acknowledge(client, file, conflicts);
    console.log(`sent file ${file.revision}: ${file.changes.length} changes, ${conflicts.length} in conflict`);
  });

/** Takes in what is new, or everything again, and says how much, in one line. */
const takeIn = (client: pg.ClientBase, { isAgain = false } = {}) =>
  alone(client, 'in', async () => {
    if (isAgain) await forgetCursor(client);
    const events = await takeInEvents(client, { gateway: GATEWAY, token: TOKEN });
    if (events > 0) console.log(`took in ${events} events`);
  });

/** Calls it again and again: after a pause, or at once when woken. A failure is printed, and the next call tries again. */
function repeat(work: () => Promise<unknown>, milliseconds: number): () => void {
  let wake = () => {};
  const next = () => Promise.race([sleep(milliseconds), new Promise<void>((resolve) => (wake = resolve))]);
  (async () => {
    for (;;) {
      await work().catch((error) => console.error(`${error}`));
      await next();
    }
  })();
  return () => wake();
}

const [reading, exporting] = [new pg.Client(APPLICATION_URL), new pg.Client(APPLICATION_URL)];
await Promise.all([reading.connect(), exporting.connect()]);

const [command] = process.argv.slice(2);
if (command === undefined) {
  const wake = repeat(() => takeIn(reading), 1_000);
  repeat(() => send(exporting), 1_000);
  // A webhook only wakes the reader. What it says is not used, so nothing depends on who sent it.
  createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
    wake();
  }).listen(Number(PORT), '127.0.0.1');
} else {
  // Goalpost does not know the company yet.
  if (command === 'load') await send(exporting, { isWhole: true, options: [] });
  // Goalpost's database was set back to an earlier moment: read again what it has now, then send all.
  if (command === 'resync') await takeIn(reading, { isAgain: true });
  if (command === 'once') await takeIn(reading);
  if (command === 'once') await send(exporting);
  if (command === 'resync') await send(exporting, { isWhole: true, options: ['--resync'] });
  await Promise.all([reading.end(), exporting.end()]);
}
