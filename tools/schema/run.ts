// `npm run schema` writes what is generated from the code: recorded examples, tables in the documents, and the contract.
// `test/contract/generated.test.ts` compares.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../src/app.js';
import { openModels } from '../../src/database.js';
import { eventSource } from '../../src/events/source.js';
import { applyMigrations } from '../../src/platform/administration/migrations.js';
import { startEmbedded } from '../../src/platform/embedded/open.js';
import { NodeServer } from '../../src/platform/http/server.js';
import { Dispatcher } from '../../src/platform/outbox/dispatcher.js';
import { Streams } from '../../src/platform/outbox/streams.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { readConfig } from '../../src/settings.js';
import { importDemo, recordedAt, recordedExamples } from './examples.js';
import { documentsWithTables } from './tables.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const write = (file: string, content: string | Buffer) => writeFileSync(join(root, file), content);

async function record(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'goalpost-schema-'));
  const postgres = await startEmbedded({ dataDir: directory, throwaway: true });
  try {
    await applyMigrations(postgres.url, join(root, 'prisma/migrations'));
    const db = openModels({ url: postgres.url, poolSize: 4, preparedStatements: true });
    const token = await importDemo(db, join(root, 'prisma/demo-workspace.json'));
    const logger = createLogger('silent');
    const dispatcher = new Dispatcher(db, eventSource, logger);
    const app = createApp({
      ...readConfig({}),
      db,
      streams: new Streams({ db, source: eventSource, dispatcher, logger, most: 1, timeout: 30_000 }),
      onChange: () => {},
      logger,
      clock: () => recordedAt,
      appUrl: 'https://work.example.com',
      databaseTimeouts: { response: 30_000 },
    });
    const { server } = new NodeServer({ app, logger });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const recorded = await recordedExamples(async (path, body) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    });
    server.closeAllConnections();
    server.close();
    await db.$disconnect();
    return recorded;
  } finally {
    await postgres.stop();
    rmSync(directory, { recursive: true });
  }
}

write('src/rest/openapi/recordedExamples.json', await record());
for (const [file, text] of Object.entries(documentsWithTables())) write(file, text);
// Both contracts are printed by what has the new examples in it.
execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
const printed = (what: string) => execFileSync('node', ['dist/main.js', what], { cwd: root, maxBuffer: 2 ** 26 });
write('schema.graphql', printed('schema'));
write('openapi.json', printed('openapi'));
