import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { Prisma, PrismaClient } from './generated/client/client.js';
import { AskingModels, models } from './generated/models.js';
import {
  type ApplicationTables,
  applyMigrations,
  type HistoryTables,
  migrationsDirectory,
  pendingMigrations,
  type Tables,
} from './platform/administration/index.js';
import { lazy } from './platform/caching/index.js';
import { startEmbedded } from './platform/embedded/index.js';
import * as postgres from './platform/postgres/index.js';

/** A database with the models of prisma/schema.prisma. */
export type ModelDatabase = postgres.OwnDatabase<PrismaClient>;
/** The same within a request, or in a transaction: only SQL, and reads of one company. */
export type ModelTransaction = postgres.Transaction<PrismaClient>;

/** What a Citus has to know of the tables. */
export const databaseTables: Tables = {
  tenants: 'companies',
  copied: ['token_companies', 'public_links', 'confirmation_secrets'],
  ownKeys: { rate_limits: 'key' },
};

/**
 * What the main application may do with rows besides reading them. It marks as deleted or removed what has history, and
 * has nothing to do with tokens, outcomes, rate limits and webhooks.
 */
export const applicationTables: ApplicationTables = {
  companies: { may: ['INSERT', 'UPDATE'], except: ['last_sequence'] },
  people: { may: ['INSERT', 'UPDATE', 'DELETE'] },
  spaces: { may: ['INSERT', 'UPDATE'] },
  space_members: { may: ['INSERT', 'DELETE'] },
  goals: { may: ['INSERT', 'UPDATE'], except: ['outcome_activity_id'] },
  targets: { may: ['INSERT', 'UPDATE', 'DELETE'] },
  goal_checks: { may: ['INSERT', 'UPDATE', 'DELETE'] },
  goal_progress_updates: { may: ['INSERT', 'UPDATE'] },
  goal_retrospectives: { may: ['INSERT', 'UPDATE'] },
  projects: { may: ['INSERT', 'UPDATE'] },
  access_grants: { may: ['INSERT', 'UPDATE', 'DELETE'] },
  resource_hubs: { may: ['INSERT', 'UPDATE'] },
  resource_hub_folders: { may: ['INSERT', 'UPDATE', 'DELETE'] },
  blobs: { may: ['INSERT', 'UPDATE'] },
  resource_hub_files: { may: ['INSERT', 'UPDATE'], except: ['outcome_activity_id'] },
  public_links: { may: ['INSERT', 'DELETE'] },
  resource_hub_documents: { may: ['INSERT', 'UPDATE'], except: ['outcome_activity_id'] },
  document_versions: { may: ['INSERT'] },
  activities: {
    may: ['INSERT'],
    except: ['recorded_at', 'origin', 'sequence', 'token_id', 'surface', 'undoes_id', 'previous_outcome_id'],
  },
  comment_threads: { may: ['INSERT'] },
  comments: { may: ['INSERT', 'UPDATE'] },
  reactions: { may: ['INSERT', 'DELETE'] },
  subscription_lists: { may: ['INSERT', 'UPDATE'] },
  subscriptions: { may: ['INSERT', 'UPDATE'] },
  notifications: { may: ['INSERT', 'UPDATE'] },
  space_access: {},
  goal_access: {},
  project_access: {},
  resource_hub_access: {},
};

/** What is only added to, by gateways too: of an activity, they write the number of its event. */
export const historyTables: HistoryTables = { activities: ['sequence'], comment_threads: [], document_versions: [] };

/** One for the process, as it keeps what it makes. */
const reader = lazy(() => new postgres.Reader(models, Prisma.prismaVersion.client));

/** How requests read the models. */
export const modelClass = { Class: AskingModels, reader };

/** Prisma's own client, for commands: it takes 40 MB. */
const clientOn = (pool: Pool) =>
  new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }), errorFormat: 'minimal' });

/** Opens a database with the models and its own connection pool, which `$disconnect()` closes. */
export const openModels = (options: postgres.DatabaseOptions): ModelDatabase =>
  postgres.openClient(options, modelClass, clientOn);

/**
 * The same with a first connection, so that a database that cannot be read is known at once and no caller waits for it.
 * Reads a table that every node of a distributed database has, since one of them may be lost.
 */
export async function openReady(options: postgres.DatabaseOptions): Promise<ModelDatabase> {
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
  db: ModelDatabase;
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
      throw new postgres.DatabaseError('The database is not up to date. Run `npx goalpost migrate` first.');
    }
    const applied = await applyMigrations(server.url, migrationsDirectory);
    const db = openModels({
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
