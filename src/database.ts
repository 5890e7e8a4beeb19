import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { Prisma, PrismaClient } from './generated/client/client.js';
import { ModelHandle, models } from './generated/models.js';
import {
  applyMigrations,
  migrationsDirectory,
  pendingMigrations,
  type Tables,
} from './platform/administration/index.js';
import { lazy } from './platform/caching/index.js';
import { startEmbedded } from './platform/embedded/index.js';
import * as postgres from './platform/postgres/index.js';

/** A database with the models of prisma/schema.prisma. */
export type OwnDatabase = postgres.OwnDatabase<PrismaClient>;
/** The same within a request, or in a transaction: only SQL, and reads of one company. */
export type Transaction = postgres.Transaction<PrismaClient>;

/** What a Citus has to know of the tables. */
export const databaseTables: Tables = {
  tenants: 'companies',
  copied: ['token_companies', 'public_links', 'confirmation_secrets'],
  ownKeys: { rate_limits: 'key' },
};

/** Takes 40 MB once it is used. */
const clientOn = (pool: Pool) =>
  new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }), errorFormat: 'minimal' });

/** One for the process, as it keeps what it makes: also the client for what requests ask that it does not know. */
const reader = new postgres.Reader(
  models,
  lazy(() => clientOn(new postgres.RequestPool())),
  Prisma.prismaVersion.client,
);

export const modelClass = { Class: ModelHandle, reader, clientOn };

/** Opens a database with the models and its own connection pool, which `$disconnect()` closes. */
export const openModels = (options: postgres.DatabaseOptions): OwnDatabase => postgres.openClient(options, modelClass);

/** Opens a database that can be read now: by a table that every node of a Citus has, as one of them may be lost. */
export async function openReady(options: postgres.DatabaseOptions): Promise<OwnDatabase> {
  const db = openModels(options);
  try {
    await db.$queryRaw`SELECT company_id FROM token_companies WHERE hash = ''`;
    return db;
  } catch (error) {
    await db.$disconnect();
    throw error;
  }
}

export interface OpenOptions {
  /** The operator's own Postgres. If undefined, the embedded one is used. */
  databaseUrl: string | undefined;
  dataDir: string;
  poolSize: number;
  preparedStatements: boolean;
  log?: (message: string) => void;
}

export interface OpenDatabase {
  db: OwnDatabase;
  url: string;
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
  { migrations }: { migrations: 'apply' | 'require' },
): Promise<OpenDatabase> {
  const server = databaseUrl ? { url: databaseUrl, stop: async () => {} } : await startEmbedded({ dataDir, log });
  try {
    if (
      migrations === 'require' &&
      databaseUrl &&
      (await pendingMigrations(databaseUrl, migrationsDirectory)).length > 0
    ) {
      throw new postgres.DatabaseError('The database is not up to date. Run `npx goalpost migrate` first.');
    }
    const applied = await applyMigrations(server.url, migrationsDirectory);
    const db = openModels({
      url: server.url,
      poolSize,
      preparedStatements,
      onError: (error) => log(error.message),
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
