import { PrismaPg } from '@prisma/adapter-pg';
import type {
  IsolationLevel,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  Transaction,
} from '@prisma/driver-adapter-utils';
import type { Pool } from 'pg';
import { retryConflicts } from './conflicts.js';
import { ConnectionShares } from './connectionShares.js';
import { wait } from './deadline.js';
import { adapterIdentity, limitedTransaction } from './limitedTransaction.js';
import type { OpenPool } from './pool.js';
import type { PoolConnections } from './reader/database.js';
import { newScope, type RequestScope, report } from './requestScope.js';

type Options = ConstructorParameters<typeof PrismaPg>[1];

/** Prisma's adapter for the pool, and the same connections for the reader, which it gives to a request. */
export function adapterOf({ pool, close }: OpenPool, options: Options, shares = sharesOf(pool)): Adapter {
  const factory = new PrismaPg(pool, options);
  const { provider, adapterName } = factory;
  const adapter = factory.connect();
  return {
    factory: { provider, adapterName, connect: async () => limitedAdapter(await adapter, shares, close) },
    connections: {
      within: (scope) => new PoolConnection(adapter, shares, scope),
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
  connections: PoolConnections;
}

/** How long a command waits for a transaction to begin. A request waits as long as it may. */
const beginMilliseconds = 10_000;

/**
 * Sends statements to the pool. It waits for the database no longer than the request may, and repeats a statement that is
 * a transaction of its own when it loses to another. A statement in a transaction is not repeated: the failure has undone
 * those before it.
 */
class PoolConnection {
  readonly #adapter: Promise<SqlDriverAdapter>;
  readonly #shares: ConnectionShares;
  readonly #scope: RequestScope | undefined;

  constructor(adapter: Promise<SqlDriverAdapter>, shares: ConnectionShares, scope?: RequestScope) {
    this.#adapter = adapter;
    this.#shares = shares;
    this.#scope = scope;
  }

  async queryRaw(query: SqlQuery) {
    const adapter = await this.#adapter;
    return this.#run(query, () => adapter.queryRaw(query));
  }

  async executeRaw(query: SqlQuery) {
    const adapter = await this.#adapter;
    return this.#run(query, () => adapter.executeRaw(query));
  }

  async startTransaction(level?: IsolationLevel): Promise<Transaction> {
    const adapter = await this.#adapter;
    const scope = this.#scope ?? newScope(beginMilliseconds);
    const release = await this.#shares.hold(scope);
    let isPending = false;
    const start = async () => {
      isPending = true;
      try {
        return await adapter.startTransaction(level);
      } catch (error) {
        release();
        throw error;
      }
    };
    try {
      const giveUp = (late: Transaction) => void late.rollback().finally(release);
      const begun = await report(scope, 'BEGIN', () => wait(scope, start, { onLate: giveUp }));
      return limitedTransaction(begun, release, this.#scope);
    } catch (error) {
      if (!isPending) release();
      throw error;
    }
  }

  #run<T>({ sql }: SqlQuery, send: () => Promise<T>): Promise<T> {
    const scope = this.#scope;
    return retryConflicts(
      () => this.#shares.use(scope, (start) => report(scope, sql, () => wait(scope, () => start(send)))),
      scope,
    );
  }
}

function limitedAdapter(
  adapter: SqlDriverAdapter,
  shares: ConnectionShares,
  close: () => Promise<void>,
): SqlDriverAdapter {
  const connection = new PoolConnection(Promise.resolve(adapter), shares);
  return {
    ...adapterIdentity(adapter),
    queryRaw: (query) => connection.queryRaw(query),
    executeRaw: (query) => connection.executeRaw(query),
    executeScript: (script) => adapter.executeScript(script),
    startTransaction: (level) => connection.startTransaction(level),
    getConnectionInfo: () => adapter.getConnectionInfo?.() ?? { supportsRelationJoins: true },
    dispose: close,
  };
}
