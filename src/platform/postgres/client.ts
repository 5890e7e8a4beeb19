import type { ClientBase } from 'pg';
import { connectionsOf } from './connections.js';
import { type DatabaseTimeouts, openPool, statementNames } from './pool.js';
import { type Database, databaseOn, type Transaction } from './reader/reader.js';

export type { Database, Transaction };

export interface DatabaseOptions {
  url: string;
  /** Most connections that this process may hold. */
  poolSize: number;
  /** Whether to name prepared statements. A transaction-pooling PgBouncer older than 1.21 does not support that. */
  preparedStatements: boolean;
  /** If omitted, only connecting has a limit: commands may take their time. */
  timeouts?: DatabaseTimeouts;
  /** Called when an idle connection breaks. The pool replaces it. */
  onError?: (error: Error) => void;
  /** Looks at a new connection. If it throws, the connection is not used. */
  onConnect?: (client: ClientBase) => Promise<void>;
}

/** Opens a client with its own connection pool. `$disconnect()` closes both. */
export function openClient(options: DatabaseOptions): Database {
  const { url, poolSize, preparedStatements, timeouts, onError, onConnect } = options;
  const names = statementNames(() => opened.renew());
  const onStalePlans = names.renew;
  const opened = openPool({ url, size: poolSize, name: 'goalpost', timeouts, onError, onConnect, onStalePlans });
  const nameOf = preparedStatements ? names.nameOf : undefined;
  return databaseOn(connectionsOf(opened, nameOf));
}

/**
 * Makes the first connection, so that a database that cannot be read is known at once and no caller waits for it. Reads
 * a table that every node of a distributed database has, since one of them may be lost.
 */
export const warmUp = (db: Database): Promise<unknown> =>
  db.$queryRaw`SELECT company_id FROM token_companies WHERE hash = ''`;
