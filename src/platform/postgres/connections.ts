import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomTypesConfig, Pool, PoolClient, QueryConfig } from 'pg';
import pg from 'pg';
import { nobody } from '../fairness/index.js';
import { ConnectionShares, type Release } from './connectionShares.js';
import {
  deadlineExceeded,
  isConflict,
  isOver,
  newScope,
  type RequestScope,
  report,
  wait,
  waitFor,
} from './deadline.js';
import type { OpenPool } from './pool.js';

/** A statement, for whose values PostgreSQL infers the types. Its rows are objects, or arrays if it says so. */
export type Statement = Omit<QueryConfig, 'name'> & { rowMode?: 'array' };

interface StatementResult {
  rows: unknown[];
  /** How many rows it has returned or written; null if it does neither. */
  rowCount: number | null;
}

/** Where statements are sent: the pool, or a transaction. */
export interface Connection {
  query(statement: Statement): Promise<StatementResult>;
}

/** Where transactions begin, each on a connection of its own. */
export interface Beginning {
  begin(): Promise<HeldConnection>;
}

/** Returns the name under which a connection prepares a text; an empty one if it does not. */
export type NameOf = (text: string) => string;

/** Sends a statement to a pool of the driver or to one of its clients. `done` is called once, with one of both. */
function sendStatement(
  driver: Pick<Pool, 'query'>,
  nameOf: NameOf,
  { text, values, rowMode, types: own }: Statement,
  done: (error: Error | undefined, result?: StatementResult) => void,
): void {
  try {
    const config: object = { name: nameOf(text), text, values, rowMode, types: own ?? types };
    driver.query(config as QueryConfig, (error: Error | undefined, result: StatementResult) =>
      error ? done(withoutValues(error)) : done(undefined, result),
    );
  } catch (error) {
    done(error as Error);
  }
}

/** A log gets all that is enumerable of an error. */
const withValues = ['detail', 'where', 'internalQuery'];

/** PostgreSQL's error, of which Prisma reads more than a log may have. */
function withoutValues(error: Error): Error {
  if (error instanceof pg.DatabaseError) {
    for (const name of withValues) Object.defineProperty(error, name, { enumerable: false });
  }
  return error;
}

/**
 * The stack of a driver's error leads to its socket. Called where the error is caught, this makes it lead to who sent the
 * statement.
 */
function withStackOfSender(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) Error.captureStackTrace(error);
  return error;
}

const { builtins } = pg.types;

/** The types that Prisma reads in another way than the driver. Sessions write times in UTC and ISO 8601. */
const parsers: Record<number, (text: string) => unknown> = {
  [builtins.INT8]: BigInt,
  [builtins.DATE]: (text) => new Date(text),
  [builtins.TIMESTAMP]: (text) => new Date(`${text.replace(' ', 'T')}Z`),
  [builtins.TIMESTAMPTZ]: (text) => new Date(text.replace(' ', 'T').replace('+00', 'Z')),
};

const types: CustomTypesConfig = {
  getTypeParser: (type, format) => parsers[type] ?? pg.types.getTypeParser(type, format as 'text'),
};

const maximumAttempts = 10;
const longestPause = 300;

/**
 * Runs a statement or a whole transaction again when it fails because of another one (serialization failure, deadlock),
 * up to 10 times, with growing random pauses. What failed so has written nothing, so nothing happens twice.
 */
export const retryConflicts = <T>(run: () => Promise<T>, scope?: RequestScope): Promise<T> =>
  run().catch((error: unknown) => retryAfter(error, run, scope));

/** The same for what has failed with an error. */
async function retryAfter<T>(error: unknown, run: () => Promise<T>, scope?: RequestScope): Promise<T> {
  let failure = error;
  for (let attempt = 1; attempt < maximumAttempts && isConflict(failure); attempt += 1) {
    scope?.observer?.countRepetition();
    const pause = Math.random() * Math.min(10 * 2 ** attempt, longestPause);
    await wait(scope, () => sleep(pause));
    try {
      return await run();
    } catch (again) {
      failure = again;
    }
  }
  throw failure;
}

interface Holder {
  scope: RequestScope | undefined;
  /** Gives back the share of the pool. */
  release: () => void;
}

/** The connection of one transaction. Its statements run one after the other, within the deadline of the request. */
class HeldConnection implements Connection {
  readonly #client: PoolClient;
  readonly #nameOf: NameOf;
  readonly #holder: Holder;
  #last: Promise<unknown> = Promise.resolve();
  #isReleased = false;
  /** PostgreSQL undoes a transaction in which a statement failed, and answers its COMMIT as if it were done. */
  #failed: { error: unknown } | undefined;

  private constructor(client: PoolClient, nameOf: NameOf, holder: Holder) {
    this.#client = client;
    this.#nameOf = nameOf;
    this.#holder = holder;
    // Without a listener, the process would end. The next statement says that the connection is lost.
    client.on('error', ignore);
  }

  /** Begins a transaction. */
  static async begin(pool: Pool, nameOf: NameOf, holder: Holder): Promise<HeldConnection> {
    const client = await pool.connect().catch((error) => {
      holder.release();
      throw error;
    });
    const connection = new HeldConnection(client, nameOf, holder);
    try {
      await connection.#send({ text: 'BEGIN' });
      return connection;
    } catch (error) {
      connection.release();
      throw error;
    }
  }

  /** Resolvers ask at the same time, but a transaction has one connection, which serves others when it has ended. */
  query(statement: Statement): Promise<StatementResult> {
    const hadFailed = this.#failed !== undefined;
    const queryInTurn = () => {
      const result = this.#last.then(() => this.#queryNow(statement));
      this.#last = result.catch(() => {});
      return result;
    };
    return wait(this.#holder.scope, queryInTurn).catch((error) => {
      throw hadFailed ? error : withStackOfSender(error);
    });
  }

  async #queryNow(statement: Statement): Promise<StatementResult> {
    if (this.#isReleased) throw hasEnded();
    if (this.#failed && statement.text !== 'ROLLBACK') throw this.#failed.error;
    try {
      return await report(this.#holder.scope, statement.text, () => this.#send(statement));
    } catch (error) {
      this.#failed ??= { error };
      throw error;
    }
  }

  #send(statement: Statement): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      sendStatement(this.#client, this.#nameOf, statement, (error, result) =>
        result ? resolve(result) : reject(error),
      );
    });
  }

  /** Gives the connection back. The pool closes it if its transaction has not ended. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.off('error', ignore);
    this.#client.release();
    this.#holder.release();
  }
}

/** The error of a statement that comes after the end of its transaction. */
export const hasEnded = () => Object.assign(new Error('the transaction has ended'), { code: 'P2028' });

const ignore = () => {};

/** What all connections of a pool have in common. */
interface Shared {
  pool: Pool;
  nameOf: NameOf;
  shares: ConnectionShares;
}

/** How long a command waits for a transaction to begin. A request waits as long as it may. */
const beginMilliseconds = 10_000;

/** How a client uses its connections right now. */
export interface ConnectionUse {
  open: number;
  idle: number;
  /** How many statements and transactions wait for a connection. */
  waiting: number;
}

/** Where statements and transactions go. */
export interface PoolConnections {
  within: (scope: RequestScope | undefined) => Connection & Beginning;
  close: () => Promise<void>;
  connectionUse: () => ConnectionUse;
}

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
