import type { Pool } from 'pg';
import { nobody } from './caller.js';
import { retryAfter } from './conflicts.js';
import {
  type Connection,
  type NameOf,
  type Statement,
  type StatementResult,
  sendStatement,
  withStackOfSender,
} from './connection.js';
import { ConnectionShares, type Release } from './connectionShares.js';
import { deadlineExceeded, isOver, waitFor } from './deadline.js';
import { HeldConnection } from './heldConnection.js';
import type { OpenPool } from './pool.js';
import type { PoolConnections } from './reader/database.js';
import { newScope, type RequestScope, report } from './requestScope.js';

/** What all connections of a pool have in common. */
interface Shared {
  pool: Pool;
  nameOf: NameOf;
  shares: ConnectionShares;
}

/** How long a command waits for a transaction to begin. A request waits as long as it may. */
const beginMilliseconds = 10_000;

/** The connections of a pool, which callers share. */
export function connectionsOf({ pool, close }: OpenPool, nameOf: NameOf = () => ''): PoolConnections {
  const shares = new ConnectionShares(pool.options.max);
  return {
    within: (scope) => new PoolConnection({ pool, nameOf, shares }, scope),
    close,
    connectionUse: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + shares.waiting,
    }),
  };
}

/**
 * Sends statements to the pool. It waits for the database no longer than the request may, and repeats a statement that is
 * a transaction of its own when it loses to another. A statement in a transaction is not repeated: the failure has undone
 * those before it.
 */
class PoolConnection implements Connection {
  readonly #shared: Shared;
  readonly #scope: RequestScope | undefined;

  constructor(shared: Shared, scope: RequestScope | undefined) {
    this.#shared = shared;
    this.#scope = scope;
  }

  query(statement: Statement): Promise<StatementResult> {
    const query = () => this.#query(statement);
    return query().catch((error) => retryAfter(withStackOfSender(error), query, this.#scope));
  }

  async begin(): Promise<HeldConnection> {
    const { pool, nameOf, shares } = this.#shared;
    const scope = this.#scope ?? newScope(beginMilliseconds);
    const release = await shares.take(scope);
    if (isOver(scope)) {
      release();
      throw deadlineExceeded();
    }
    const start = () => HeldConnection.begin(pool, nameOf, { scope: this.#scope, release });
    const begun = () =>
      waitFor<HeldConnection>(
        scope,
        (resolve, reject) => void start().then(resolve, reject),
        (late) => late.release(),
      );
    return report(scope, 'BEGIN', begun);
  }

  #query(statement: Statement): Promise<StatementResult> {
    const { shares } = this.#shared;
    const release = shares.takeNow(this.#scope);
    if (release) return this.#queryOn(release, statement);
    return shares.take(this.#scope).then((late) => this.#queryOn(late, statement));
  }

  /** Keeps its connection for as long as that is used, even if the request does not wait any more. */
  #queryOn(release: Release, statement: Statement): Promise<StatementResult> {
    const { pool, nameOf, shares } = this.#shared;
    const scope = this.#scope;
    if (isOver(scope)) {
      release();
      return Promise.reject(deadlineExceeded());
    }
    const { caller = nobody } = scope ?? {};
    const since = performance.now();
    return report(scope, statement.text, () =>
      waitFor(scope, (resolve, reject) =>
        sendStatement(pool, nameOf, statement, (error, result) => {
          shares.countUse(caller, performance.now() - since, error !== undefined);
          release();
          if (result) resolve(result);
          else reject(error);
        }),
      ),
    );
  }
}
