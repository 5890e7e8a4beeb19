import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { type Prisma, PrismaClient } from './generated/client/client.js';

export type Database = PrismaClient;

/** A transaction of the database, or the database itself where each statement is one. */
export type Transaction = Prisma.TransactionClient;

export interface DatabaseOptions {
  url: string;
  /** Connections this process may hold at most. */
  poolSize: number;
  /** Named prepared statements; off behind a transaction-pooling PgBouncer older than 1.21. */
  preparedStatements: boolean;
  /** Told of a connection that broke while idle; the pool replaces it. */
  onError?: (error: Error) => void;
}

const statementNameCap = 2000;

/** Opens a client with a connection pool of its own; `$disconnect()` closes both. */
export function openClient({ url, poolSize, preparedStatements, onError }: DatabaseOptions): Database {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 10_000,
    application_name: 'goalpost',
  });
  pool.on('error', (error) => onError?.(error));
  const adapter = new PrismaPg(pool, {
    disposeExternalPool: true,
    ...(preparedStatements && { statementNameGenerator: statementNames() }),
  });
  return new PrismaClient({ adapter, errorFormat: 'minimal' });
}

/** One name for each SQL text, for the connection to plan it once; past the cap new texts stay unnamed. */
function statementNames() {
  const names = new Map<string, string>();
  return ({ sql }: { sql: string }) => {
    const known = names.get(sql);
    if (known) return known;
    if (names.size >= statementNameCap) return '';
    const name = `gp${names.size}`;
    names.set(sql, name);
    return name;
  };
}
