import { getHeapStatistics } from 'node:v8';
import type { Pool } from 'pg';
import { adapterOf } from './adapter.js';
import { type Prisma, PrismaClient } from './generated/client/client.js';
import { type DatabaseTimeouts, openPool } from './pool.js';

export type Database = PrismaClient;

/** A transaction, or the database itself, on which each statement is a transaction of its own. */
export type Transaction = Prisma.TransactionClient;

export interface DatabaseOptions {
  url: string;
  /** Most connections that this process may hold. */
  poolSize: number;
  /** Whether to name prepared statements. A transaction-pooling PgBouncer older than 1.21 does not support that. */
  preparedStatements: boolean;
  /** Whether a query joins what it loads with its rows; otherwise each relation is a statement of its own. */
  joins?: boolean;
  /** If omitted, only connecting has a limit: commands may take their time. */
  timeouts?: DatabaseTimeouts;
  /** Called when an idle connection breaks. The pool replaces it. */
  onError?: (error: Error) => void;
}

const statementNameCap = 2000;
/** The part of the heap that the texts may fill, at a byte for each character. */
const statementTextShare = 1 / 64;

/** Opens a client with its own connection pool. `$disconnect()` closes both. */
export function openClient({
  url,
  poolSize,
  preparedStatements,
  joins = true,
  timeouts,
  onError,
}: DatabaseOptions): Database {
  const names = statementNames();
  const opened = openPool({ url, size: poolSize, name: 'goalpost', timeouts, onError, onStalePlans: names.renew });
  const options = preparedStatements ? { statementNameGenerator: names.nameOf } : {};
  const opening = new PrismaClient({ adapter: adapterOf(opened, options), errorFormat: 'minimal' });
  const client = joins ? opening : withoutJoins(opening);
  pools.set(client, opened.pool);
  return client;
}

/** Reads each relation with a statement of its own, whose values name the company. */
function withoutJoins(client: Database): Database {
  const separately = <Args extends object, Result>({ args, query }: { args: Args; query: (args: Args) => Result }) =>
    query({ ...args, relationLoadStrategy: 'query' });
  const reads = {
    findUnique: separately,
    findUniqueOrThrow: separately,
    findFirst: separately,
    findFirstOrThrow: separately,
    findMany: separately,
  };
  return client.$extends({ query: { $allModels: reads } }) as Database;
}

const pools = new WeakMap<Database, Pool>();

/** How a client uses its connections right now. */
export interface ConnectionUse {
  open: number;
  idle: number;
  /** How many statements and transactions wait for a connection. */
  waiting: number;
}

/** Nothing but zeros for a client that this process did not open. */
export function connectionsOf(client: Database): ConnectionUse {
  const { totalCount = 0, idleCount = 0, waitingCount = 0 } = pools.get(client) ?? {};
  return { open: totalCount, idle: idleCount, waiting: waitingCount };
}

/**
 * Names each SQL text, so that a connection prepares it only once. Beyond the cap in number or in characters, new texts
 * stay unnamed: callers choose what is selected, and the names are kept until a migration makes them useless.
 */
function statementNames() {
  const names = new Map<string, string>();
  let generation = 0;
  let room = 0;
  const renew = () => {
    names.clear();
    generation += 1;
    room = getHeapStatistics().heap_size_limit * statementTextShare;
  };
  renew();
  const nameOf = ({ sql }: { sql: string }) => {
    const existing = names.get(sql);
    if (existing) return existing;
    if (names.size >= statementNameCap || sql.length > room) return '';
    room -= sql.length;
    const name = `gp${generation}_${names.size}`;
    names.set(sql, name);
    return name;
  };
  return { nameOf, renew };
}
