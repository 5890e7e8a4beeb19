import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomTypesConfig, Connection as DriverConnection, Pool, PoolClient, QueryConfig } from 'pg';
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

export interface StatementResult {
  rows: unknown[];
  /** How many rows it has returned or written; null if it does neither. */
  rowCount: number | null;
}

/**
 * A condition of all that a request does with the database. Nothing of the request is sent before its statement; what is
 * sent with it, in one message, is executed only if that succeeds.
 */
export interface Prerequisite {
  /** PostgreSQL must refuse it unless the request may go on: an error ends a message. */
  statement: Statement;
  /** Sends it, by itself or with the first statement of the request. Returns why the request may not go on. */
  check(send: () => Promise<StatementResult>): Promise<Error | undefined>;
}

/** The prerequisite of one request, until it is known to hold. */
export class PendingPrerequisite {
  #check: Promise<Error | undefined> | undefined;
  /** Whether it could not be checked: what the request fails with says so. */
  hasFailed = false;

  constructor(readonly prerequisite: Prerequisite) {}

  /** Whether it has been sent, and has not failed. */
  get isUnderWay(): boolean {
    return this.#check !== undefined;
  }

  /** Waits for the check that is under way. Throws why the request may not go on; nothing if the check itself has failed. */
  async ended(): Promise<void> {
    const refusal = await this.#check?.catch(() => undefined);
    if (refusal) throw refusal;
  }

  /** Checks, and throws why the request may not go on. A check that has failed can be repeated. */
  async pass(send: () => Promise<StatementResult>): Promise<void> {
    const check = this.prerequisite.check(send);
    this.#check = check;
    const refusal = await check.catch((error) => {
      this.#check = undefined;
      this.hasFailed = true;
      throw error;
    });
    if (refusal) throw refusal;
  }
}

type Done = (error: Error | null, results?: StatementResult[]) => void;

/** The members of a query of the driver, by which its client hands it what the server says. */
interface DriverQuery {
  name?: string;
  text: string;
  submit(connection: DriverConnection): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: DriverConnection): void;
  handleEmptyQuery(connection: DriverConnection): void;
  handleError(error: Error, connection: DriverConnection): void;
  handleReadyForQuery(connection: DriverConnection): void;
}

const DriverQuery = pg.Query as unknown as new (
  config: object,
  done: (error: Error | null, result?: StatementResult) => void,
) => DriverQuery;

/** As the driver, but the server goes on with the next statement: it gets one Sync, after the last. */
const withoutSync = (connection: DriverConnection): DriverConnection =>
  Object.create(connection, { sync: { value: () => {} } });

/**
 * Two statements in one message, for the driver's client, which takes whatever has these methods. If the first fails, the
 * server skips the second.
 */
class StatementPair {
  callback: Done | undefined;
  readonly parts: readonly [DriverQuery, DriverQuery];
  readonly #results: StatementResult[] = [];
  #current: DriverQuery;

  constructor(first: QueryConfig, second: QueryConfig) {
    const done = (error: Error | null, result?: StatementResult) => {
      if (result) this.#results.push(result);
      if (error) this.callback?.(error);
      else if (this.#results.length === 2) this.callback?.(null, this.#results);
    };
    const part = (config: QueryConfig) => new DriverQuery({ ...config, queryMode: 'extended' }, done);
    this.parts = [part(first), part(second)];
    this.#current = this.parts[0];
  }

  /** Those of the statement that the server is at: the client notes with them what it has prepared. */
  get name() {
    return this.#current.name;
  }

  get text() {
    return this.#current.text;
  }

  submit(connection: DriverConnection): Error | null {
    const [first, second] = this.parts;
    connection.stream.cork();
    try {
      return first.submit(withoutSync(connection)) ?? second.submit(connection);
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription(message: unknown): void {
    this.#current.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#current.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: DriverConnection): void {
    this.#current.handleCommandComplete(message, connection);
    this.#current = this.parts[1];
  }

  handleEmptyQuery(connection: DriverConnection): void {
    this.#current.handleEmptyQuery(connection);
  }

  handleError(error: Error, connection: DriverConnection): void {
    this.#current.handleError(error, connection);
  }

  handleReadyForQuery(connection: DriverConnection): void {
    for (const part of this.parts) part.handleReadyForQuery(connection);
  }
}

/** Where statements are sent: the pool, or a transaction. */
export interface Connection {
  query(statement: Statement): Promise<StatementResult>;
}

/** Where transactions begin, each on a connection of its own. */
export interface Beginning {
  begin(): Promise<HeldConnection>;
  /** Checks the prerequisite of the request, unless it is known to hold. Throws why the request may not go on. */
  requirePrerequisite(): Promise<void>;
}

/** Returns the name under which a connection prepares a text; an empty one if it does not. */
export type NameOf = (text: string) => string;

/** A statement as the driver reads it. */
function configOf(nameOf: NameOf, { text, values, rowMode, types: own }: Statement): QueryConfig {
  const config: object = { name: nameOf(text), text, values, rowMode, types: own ?? types };
  return config as QueryConfig;
}

/** A statement, or two, and what the driver is told of them. */
interface Message {
  texts: readonly string[];
  config: () => QueryConfig | StatementPair;
}

/** Sends a message to a pool of the driver or to one of its clients. `done` is called once, with one of both. */
function send<Result>(
  driver: Pick<Pool, 'query'>,
  config: Message['config'],
  done: (error: Error | undefined, result?: Result) => void,
): void {
  try {
    driver.query(config() as QueryConfig, (error: Error | undefined, result: unknown) =>
      error ? done(withoutValues(error)) : done(undefined, result as Result),
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
      const config = () => configOf(this.#nameOf, statement);
      send<StatementResult>(this.#client, config, (error, result) => (result ? resolve(result) : reject(error)));
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
class PoolConnection implements Connection, Beginning {
  constructor(
    private readonly shared: Shared,
    private readonly scope: RequestScope | undefined,
  ) {}

  query(statement: Statement): Promise<StatementResult> {
    const { scope, shared } = this;
    if (scope?.prerequisite) return this.#queryWithPrerequisite(statement, scope, scope.prerequisite);
    return this.#repeated({ texts: [statement.text], config: () => configOf(shared.nameOf, statement) });
  }

  /** Sends the prerequisite of the request with its first statement; the others wait until it is known to hold. */
  async #queryWithPrerequisite(
    statement: Statement,
    scope: RequestScope,
    state: PendingPrerequisite,
  ): Promise<StatementResult> {
    if (state.isUnderWay) {
      await state.ended();
      return this.query(statement);
    }
    const { nameOf } = this.shared;
    const { statement: prerequisite } = state.prerequisite;
    const config = () => new StatementPair(configOf(nameOf, prerequisite), configOf(nameOf, statement));
    let result: StatementResult | undefined;
    await state.pass(async () => {
      const [first, second] = await this.#repeated<StatementResult[]>({
        texts: [prerequisite.text, statement.text],
        config,
      });
      result = second;
      return first as StatementResult;
    });
    scope.prerequisite = undefined;
    return result as StatementResult;
  }

  async requirePrerequisite(): Promise<void> {
    const { scope, shared } = this;
    const state = scope?.prerequisite;
    if (!scope || !state) return;
    if (state.isUnderWay) {
      await state.ended();
      return this.requirePrerequisite();
    }
    const { statement } = state.prerequisite;
    await state.pass(() =>
      this.#repeated({ texts: [statement.text], config: () => configOf(shared.nameOf, statement) }),
    );
    scope.prerequisite = undefined;
  }

  #repeated<Result>(message: Message): Promise<Result> {
    const query = () => this.#query<Result>(message);
    return query().catch((error) => retryAfter(withStackOfSender(error), query, this.scope));
  }

  async begin(): Promise<HeldConnection> {
    await this.requirePrerequisite();
    const { pool, nameOf, shares } = this.shared;
    const scope = this.scope ?? newScope(beginMilliseconds);
    const release = await shares.take(scope);
    if (isOver(scope)) {
      release();
      throw deadlineExceeded();
    }
    const start = () => HeldConnection.begin(pool, nameOf, { scope: this.scope, release });
    const begun = () =>
      waitFor<HeldConnection>(
        scope,
        (resolve, reject) => void start().then(resolve, reject),
        (late) => late.release(),
      );
    return report(scope, 'BEGIN', begun);
  }

  #query<Result>(message: Message): Promise<Result> {
    const { shares } = this.shared;
    const release = shares.takeNow(this.scope);
    if (release) return this.#queryOn(release, message);
    return shares.take(this.scope).then((late) => this.#queryOn<Result>(late, message));
  }

  /** Keeps its connection for as long as that is used, even if the request does not wait any more. */
  #queryOn<Result>(release: Release, { texts, config }: Message): Promise<Result> {
    const { pool, shares } = this.shared;
    const scope = this.scope;
    if (isOver(scope)) {
      release();
      return Promise.reject(deadlineExceeded());
    }
    const { caller = nobody } = scope ?? {};
    const since = performance.now();
    const sent = () =>
      waitFor<Result>(scope, (resolve, reject) =>
        send<Result>(pool, config, (error, result) => {
          shares.countUse(caller, performance.now() - since, error !== undefined);
          release();
          if (result) resolve(result);
          else reject(error);
        }),
      );
    const [text = '', second] = texts;
    return report(scope, text, second === undefined ? sent : () => report(scope, second, sent));
  }
}
