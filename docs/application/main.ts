// An application with a database of its own, in step with Goalpost: docs/integrating.md, "Two databases".
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { acknowledge, type ExportedFile, exportChanges } from './exporter.js';
import { forgetCursor, takeInEvents } from './reader.js';

const { APPLICATION_URL, GATEWAY = 'http://127.0.0.1:4000', TOKEN = '', WAKE_PORT = '4100' } = process.env;
const [program = '', ...words] = (process.env.GOALPOST ?? 'npx goalpost').split(' ');

/** Pipes a file into `goalpost import`. False if Goalpost has changed some of its records since: nothing was written. */
async function importFile({ text: lines }: ExportedFile, options: string[]): Promise<boolean> {
  const command = spawn(program, [...words, 'import', '-', ...options], { stdio: ['pipe', 'inherit', 'inherit'] });
  // It may end before it has read all of the file: then its exit code says so.
  command.stdin.on('error', () => {});
  command.stdin.end(lines);
  const [code] = await once(command, 'close');
  if (code !== 0 && code !== 3) throw new Error(`goalpost import has failed with exit code ${code}`);
  return code === 0;
}

/** One process at a time: a command may run beside the service, and a file must not overtake an older one. */
async function alone<Result>(
  direction: 'in' | 'out',
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failure: Error | undefined;
  // A connection that breaks while it is used fails the statement as well.
  const ignore = () => {};
  client.on('error', ignore);
  try {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [direction]);
    return await work(client);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    await client.query('SELECT pg_advisory_unlock_all()').catch((error) => (failure = error));
    client.off('error', ignore);
    client.release(failure);
  }
}

/** Sends what has changed: all that no acknowledged file has. False if events are to be taken in first. */
const send = ({ isWhole = false, options = ['--update'] } = {}) =>
  alone('out', async (client) => {
    const file = await exportChanges(client, { isWhole });
    if (!file) return true;
    const isTaken = await importFile(file, options);
    if (isTaken) await acknowledge(client, file);
    console.log(`${isTaken ? 'sent' : 'will send again'} file ${file.revision}, changes: ${file.changes.length}`);
    return isTaken;
  });

/** Takes in what is new, or everything again, and says how much, in one line. */
const takeIn = ({ isAgain = false } = {}) =>
  alone('in', async (client) => {
    if (isAgain) await forgetCursor(client);
    const events = await takeInEvents(client, { gateway: GATEWAY, token: TOKEN });
    if (events > 0) console.log(`events taken in: ${events}`);
  });

/** Takes in and sends, until a file is taken: an event has its number within a second of its commit. */
async function untilSent(file?: Parameters<typeof send>[0]): Promise<void> {
  for (let attempts = 0; attempts < 20; attempts += 1) {
    await takeIn();
    if (await send(file)) return;
    await sleep(500);
  }
  throw new Error('the records of the file change faster than they can be taken in');
}

/** Calls it again and again: after a pause, or at once when woken. A failure is printed; the next call does the work again from the start. */
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

const pool = new pg.Pool({ connectionString: APPLICATION_URL, max: 2 });
// An idle connection that breaks is replaced when the next one is needed.
pool.on('error', () => {});

const [command] = process.argv.slice(2);
if (command === undefined) {
  const wake = repeat(() => takeIn(), 1_000);
  // A file that is refused for an event is sent again when that has been taken in.
  repeat(async () => (await send()) || wake(), 1_000);
  // A webhook only wakes the reader. What it says is not used, so nothing depends on who sent it.
  createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
    wake();
  }).listen(Number(WAKE_PORT), '127.0.0.1');
} else {
  // Goalpost does not know the company yet.
  if (command === 'load') await send({ isWhole: true, options: [] });
  if (command === 'once') await untilSent();
  // Goalpost's database was set back to an earlier moment: read again what it has now, then send all.
  if (command === 'resync') {
    await takeIn({ isAgain: true });
    await untilSent({ isWhole: true, options: ['--update', '--remove-missing'] });
  }
  await pool.end();
}
