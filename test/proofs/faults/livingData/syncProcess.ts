// The application of docs/integrating.md as a process to be killed: both directions every 50 ms, and a line for each file and each time.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { acknowledge, exportChanges } from '../../../../docs/application/exporter.js';
import { takeInEvents } from '../../../../docs/application/reader.js';
import { openModels } from '../../../../src/database.js';
import { streamSource } from '../../../../src/workspace/file.js';
import { importFrom } from '../../../../src/workspace/import.js';
import { ImportError, UnknownChangesError } from '../../../../src/workspace/report.js';

const { APPLICATION_URL, DATABASE_URL = '', GATEWAY = '', TOKEN = '' } = process.env;
const milliseconds = 50;

const db = openModels({ url: DATABASE_URL, poolSize: 1, preparedStatements: false });
const client = new pg.Client(APPLICATION_URL);
// Whatever is lost: it starts again, as a service does.
client.on('error', () => process.exit(1));
await client.connect();

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function send(): Promise<number> {
  const file = await exportChanges(client);
  if (!file) return 0;
  const source = streamSource(() => [Buffer.from(file.text)]);
  await importFrom(db, source, { update: true });
  say({ revision: file.revision });
  await acknowledge(client, file);
  return file.changes.length;
}

/** A failure of one direction does not keep the other from going on. */
async function attempt(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnknownChangesError) say({ unknowing: error.changes.length });
    else if (error instanceof ImportError) say({ refused: error.problems });
    else if (!/fetch failed|ECONN|503|not available/i.test(`${error} ${(error as Error).cause}`)) {
      say({ failed: `${error}` });
      process.exit(1);
    }
    return 1;
  }
}

for (;;) {
  const taken = await attempt(() => takeInEvents(client, { gateway: GATEWAY, token: TOKEN }));
  const sent = await attempt(send);
  say({ isIdle: taken + sent === 0 });
  await sleep(milliseconds);
}
