import { fileURLToPath } from 'node:url';
import { connect, type Database } from './client.js';
import { startEmbedded } from './embedded/startEmbedded.js';
import { DatabaseError } from './error.js';
import { migrate, pendingMigrations } from './migrations.js';

const migrations = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

export interface OpenOptions {
  /** The operator's own Postgres; without it the embedded one is used. */
  databaseUrl: string | undefined;
  dataDir: string;
  poolSize: number;
  preparedStatements: boolean;
  log?: (message: string) => void;
}

export interface OpenDatabase {
  db: Database;
  url: string;
  /** Names of the migrations applied just now. */
  applied: string[];
  close(): Promise<void>;
}

/**
 * Opens the database: the operator's own, or the embedded one, started if need be.
 * With `bring: 'up to date'` migrations run; otherwise an operator's database that lacks some is refused.
 */
export async function openDatabase(
  { databaseUrl, dataDir, poolSize, preparedStatements, log = () => {} }: OpenOptions,
  { bring, share = false }: { bring: 'up to date' | 'as it is'; share?: boolean },
): Promise<OpenDatabase> {
  const server = databaseUrl
    ? { url: databaseUrl, stop: async () => {} }
    : await startEmbedded({ dataDir, log, share });
  try {
    if (bring === 'as it is' && databaseUrl && (await pendingMigrations(databaseUrl, migrations)).length > 0) {
      throw new DatabaseError('The database is not up to date. Run `goalpost migrate` first.');
    }
    const applied = await migrate(server.url, migrations);
    const db = connect({
      url: server.url,
      poolSize,
      preparedStatements,
      onError: (error) => log(`a database connection broke: ${error.message}`),
    });
    const close = async () => {
      await db.$disconnect();
      await server.stop();
    };
    return { db, url: server.url, applied, close };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
