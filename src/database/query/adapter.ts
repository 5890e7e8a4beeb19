import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter, SqlDriverAdapterFactory, SqlQuery, Transaction } from '@prisma/driver-adapter-utils';
import type { Pool } from 'pg';
import { retryConflicts } from './conflicts.js';
import { ConnectionShares } from './connectionShares.js';
import { wait, withDeadlineUnlessGiven } from './deadline.js';
import { adapterIdentity, limitedTransaction } from './limitedTransaction.js';
import type { OpenPool } from './pool.js';
import type { PoolConnections } from './reader/database.js';
import { report } from './requestScope.js';

type Options = ConstructorParameters<typeof PrismaPg>[1];

/**
 * Prisma's adapter for the pool. It waits for the database no longer than the request may, and repeats a statement that
 * is a transaction of its own when it loses to another. A statement in a transaction is not repeated: the failure has
 * undone those before it.
 */
export function adapterOf({ pool, close }: OpenPool, options: Options, shares = sharesOf(pool)): Adapter {
  const factory = new PrismaPg(pool, options);
  const { provider, adapterName } = factory;
  const adapter = factory.connect().then((connected) => limitedAdapter(connected, shares, close));
  return {
    factory: { provider, adapterName, connect: () => adapter },
    connections: {
      connection: {
        queryRaw: async (query) => (await adapter).queryRaw(query),
        executeRaw: async (query) => (await adapter).executeRaw(query),
      },
      begin: async () => (await adapter).startTransaction(),
      close,
      connectionUse: () => ({
        open: pool.totalCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount + shares.waiting,
      }),
    },
  };
}

/** The connections of a pool, shared between callers. */
export const sharesOf = (pool: Pool) => new ConnectionShares(pool.options.max);

interface Adapter {
  factory: SqlDriverAdapterFactory;
  /** The same connections for the reader. */
  connections: PoolConnections;
}

/** How long a command waits for a transaction to begin. A request waits as long as it may. */
const beginMilliseconds = 10_000;

async function startTransaction(shares: ConnectionShares, start: () => Promise<Transaction>): Promise<Transaction> {
  const begin = async () => {
    const release = await shares.hold();
    let isPending = false;
    const startOnIt = async () => {
      isPending = true;
      try {
        return await start();
      } catch (error) {
        release();
        throw error;
      }
    };
    try {
      const giveUp = (late: Transaction) => void late.rollback().finally(release);
      return limitedTransaction(await report('BEGIN', () => wait(startOnIt, { onLate: giveUp })), release);
    } catch (error) {
      if (!isPending) release();
      throw error;
    }
  };
  return withDeadlineUnlessGiven(beginMilliseconds, begin);
}

function limitedAdapter(
  adapter: SqlDriverAdapter,
  shares: ConnectionShares,
  close: () => Promise<void>,
): SqlDriverAdapter {
  const run = <T>({ sql }: SqlQuery, send: () => Promise<T>): Promise<T> =>
    retryConflicts(() => shares.use((start) => report(sql, () => wait(() => start(send)))));
  return {
    ...adapterIdentity(adapter),
    queryRaw: (query) => run(query, () => adapter.queryRaw(query)),
    executeRaw: (query) => run(query, () => adapter.executeRaw(query)),
    executeScript: (script) => adapter.executeScript(script),
    startTransaction: (level) => startTransaction(shares, () => adapter.startTransaction(level)),
    getConnectionInfo: () => adapter.getConnectionInfo?.() ?? { supportsRelationJoins: true },
    dispose: close,
  };
}
