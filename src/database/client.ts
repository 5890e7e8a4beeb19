import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { type Prisma, PrismaClient } from './generated/client/client.js';

export type Database = PrismaClient;

/** A transaction, or the database itself, on which each statement is a transaction of its own. */
export type Transaction = Prisma.TransactionClient;

export interface DatabaseOptions {
  url: string;
  /** Most connections that this process may hold. */
  poolSize: number;
  /** Whether to name prepared statements. A transaction-pooling PgBouncer older than 1.21 does not support that. */
  preparedStatements: boolean;
  /** Called when an idle connection breaks. The pool replaces it. */
  onError?: (error: Error) => void;
}

const statementNameCap = 2000;

/** Opens a client with its own connection pool. `$disconnect()` closes both. */
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

/** Names each SQL text, so that a connection prepares it only once. Beyond the cap, new texts stay unnamed. */
function statementNames() {
  const names = new Map<string, string>();
  return ({ sql }: { sql: string }) => {
    const existing = names.get(sql);
    if (existing) return existing;
    if (names.size >= statementNameCap) return '';
    const name = `gp${names.size}`;
    names.set(sql, name);
    return name;
  };
}
