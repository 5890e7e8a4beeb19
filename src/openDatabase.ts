import { applyMigrations, migrationsDirectory, pendingMigrations } from './platform/administration/index.js';
import { startEmbedded } from './platform/embedded/index.js';
import { type Database, openClient } from './platform/postgres/index.js';
import { DatabaseError } from './platform/servers/index.js';

export interface OpenOptions {
  /** The operator's own Postgres. If undefined, the embedded one is used. */
  databaseUrl: string | undefined;
  dataDir: string;
  poolSize: number;
  preparedStatements: boolean;
  log?: (message: string) => void;
}

export interface OpenDatabase {
  db: Database;
  url: string;
  /** Names of the migrations that were just applied. */
  applied: string[];
  close(): Promise<void>;
}

/**
 * Opens the operator's own database, or the embedded one, which it starts if necessary. Always migrates the embedded
 * database; migrates the operator's own with `migrations: 'apply'`. With `'require'`, a pending migration of the
 * operator's own database is a DatabaseError.
 */
export async function openDatabase(
  { databaseUrl, dataDir, poolSize, preparedStatements, log = () => {} }: OpenOptions,
  { migrations, share = false }: { migrations: 'apply' | 'require'; share?: boolean },
): Promise<OpenDatabase> {
  const server = databaseUrl
    ? { url: databaseUrl, stop: async () => {} }
    : await startEmbedded({ dataDir, log, share });
  try {
    if (
      migrations === 'require' &&
      databaseUrl &&
      (await pendingMigrations(databaseUrl, migrationsDirectory)).length > 0
    ) {
      throw new DatabaseError('The database is not up to date. Run `npx goalpost migrate` first.');
    }
    const applied = await applyMigrations(server.url, migrationsDirectory);
    const db = openClient({
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
