import pg from 'pg';
import { openModels } from '../../src/database.js';
import { applyMigrations, migrationsDirectory } from '../../src/platform/administration/migrations.js';
import { createToken } from '../../src/tokens.js';
import { importDocument } from '../../test/support/importDocument.js';
import { type Postgres, startPostgres } from '../../test/support/postgres.js';
import { query } from '../../test/support/query.js';
import { Gateway } from './gateway.js';
import { History } from './history.js';
import { audienceIn, competedWorkspace } from './workspace.js';

export type System = Awaited<ReturnType<typeof startSystem>>;

export interface SystemOptions {
  /** Of PostgreSQL, such as `max_connections=20`. */
  flags?: string[];
  /** Where PostgreSQL's data is. */
  parent?: string | undefined;
  /** Of the gateways. */
  settings?: Record<string, string>;
  gateways?: number;
  /** The file that the gateways run, and the migrations that the database has. By default this checkout's. */
  main?: string;
  migrations?: string;
  /** The URL that the gateways use, if it is not PostgreSQL's own. */
  route?: (url: string) => Promise<string>;
}

/** A PostgreSQL and gateways in processes of their own, all of them to be killed. */
export async function startSystem(options: SystemOptions = {}) {
  const { flags, parent, settings = {}, gateways: count = 2, main, migrations = migrationsDirectory, route } = options;
  const postgres: Postgres = await startPostgres(flags, parent);
  const { url } = postgres;
  await applyMigrations(url, migrations);
  const isolation = process.env.TEST_ISOLATION;
  if (isolation) await query(url, `ALTER DATABASE postgres SET default_transaction_isolation = '${isolation}'`);
  const pool = new pg.Pool({ connectionString: url, max: 8, application_name: 'main application' });
  pool.on('error', () => {});
  const db = openModels({ url, poolSize: 2, preparedStatements: false });
  const databaseUrl = (await route?.(url)) ?? url;
  const gateways = await Promise.all(
    Array.from({ length: count }, () => Gateway.start({ ...settings, DATABASE_URL: databaseUrl }, main)),
  ).catch(async (error) => {
    await postgres.stop();
    throw error;
  });

  /** Imports a new workspace for one history. */
  async function begin(prefix: string): Promise<History> {
    await importDocument(db, competedWorkspace(prefix));
    return new History(prefix, audienceIn(prefix));
  }

  /** Waits until no gateway runs a statement or a transaction. */
  async function quiet(): Promise<void> {
    for (let still = 0; still < 3; ) {
      const { rows } = await pool.query(`SELECT count(*)::int AS busy FROM pg_stat_activity
        WHERE application_name = 'goalpost' AND state <> 'idle'`);
      still = rows[0].busy === 0 ? still + 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  const stop = async () => {
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    await pool.end();
    await db.$disconnect();
    await postgres.stop();
  };

  /** Somebody with a token to spend. */
  const somebody = async (): Promise<string> =>
    (await pool.query("SELECT id FROM people WHERE suspended_at IS NULL AND type = 'human' LIMIT 1")).rows[0].id;

  const issueToken = async (personId: string) => {
    const { rows } = await pool.query('SELECT company_id FROM people WHERE id = $1', [personId]);
    return createToken(db, { companyId: rows[0].company_id, personId, name: 'history', canWrite: true });
  };

  return { postgres, pool, gateways, begin, quiet, somebody, issueToken, stop };
}
