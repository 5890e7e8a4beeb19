import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { applyMigrations } from '../../src/platform/administration/migrations.js';
import { startEmbedded } from '../../src/platform/embedded/open.js';
import { cpuOfFamily, parentOf } from '../../test/support/processes.js';
import { dataSql, renewSql, type Sizes } from './dataset.js';

export interface BenchDatabase {
  url: string;
  version: string;
  /** Processor time of the whole server, in seconds. */
  cpu(): number;
  run(sql: string): Promise<void>;
  /** Makes the records as new that the workloads use up. */
  renew(): Promise<void>;
  stop(): Promise<void>;
}

const thisCheckout = fileURLToPath(new URL('../..', import.meta.url));

/** The product's embedded PostgreSQL with its durable settings, in a directory of its own, with the data set. */
export async function startDatabase(sizes: Sizes, checkout = thisCheckout): Promise<BenchDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'goalpost-bench-'));
  const server = await startEmbedded({ dataDir: directory });
  await applyMigrations(server.url, join(checkout, 'prisma/migrations'));
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const run = async (sql: string) => {
    await client.query(sql);
  };
  await run(dataSql(sizes));
  await run('VACUUM ANALYZE');
  await run('CHECKPOINT');
  const { rows } = await client.query(`SELECT pg_backend_pid() AS pid, current_setting('server_version') AS version`);
  const postmaster = parentOf(rows[0].pid);
  return {
    url: server.url,
    version: rows[0].version,
    cpu: () => cpuOfFamily(postmaster),
    run,
    async renew() {
      await run(renewSql);
      await run('VACUUM goals, resource_hub_files');
    },
    async stop() {
      await client.end();
      await server.stop();
      await rm(directory, { recursive: true, maxRetries: 20 });
    },
  };
}
