import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomTypesConfig, Pool, PoolClient, QueryConfig } from 'pg';
import pg from 'pg';
import {
  isConflict,
  isOver,
  newScope,
  type PendingPrerequisite,
  type RequestScope,
  report,
  type Statement,
  type StatementResult,
  sendInTime,
  stalePlan,
  wait,
} from './deadline.js';
import type { OpenPool } from './pool.js';

/** Where statements are sent: the pool, or a transaction. */
export interface Connection {
  query(statement: Statement): Promise<StatementResult>;
  /** Sends statements in one round trip, which are executed in this order: all of them, or none if one fails. */
  queryInOrder(statements: readonly Statement[]): Promise<StatementResult[]>;
}

/** Where transactions begin, each on a connection of its own. */
export interface Beginning {
  begin(): Promise<HeldConnection>;
  /** Checks the prerequisite of the request, unless it is known to hold. Throws why the request may not go on. */
  requirePrerequisite(): Promise<void>;
}

/** Returns the name under which a connection prepares a text; an empty one if it does not. */
export type NameOf = (text: string) => string;

/** Counts characters that a request has read. */
type CountRead = (characters: number) => void;

const countIn = (scope: RequestScope | undefined, mayHaveChanged: boolean): CountRead | undefined => {
  const { reads } = scope ?? {};
  return reads && ((characters) => reads.count(characters, mayHaveChanged));
};

/** A statement as the driver reads it. */
function configOf(nameOf: NameOf, { text, values, rowMode, types: own }: Statement, count?: CountRead): QueryConfig {
  const read = own ?? types;
  const config: object = { name: nameOf(text), text, values, rowMode, types: count ? counted(count, read) : read };
  return config as QueryConfig;
}

/** Counts what a request reads, as it arrives. What throws fails the statement, and the driver keeps no further rows. */
const counted = (count: CountRead, { getTypeParser }: CustomTypesConfig): CustomTypesConfig => ({
  getTypeParser: (type, format) => {
    const parse = getTypeParser(type, format as 'text') as (value: string) => unknown;
    return (value: string) => {
      count(charactersOf(value));
      return parse(value);
    };
  },
});

/** From how many characters on a text is looked at for what JSON escapes. */
const longText = 1_000_000;
const escaped = '\\u00';

/** How many characters a text has, if that is JSON in which a control character stands as six. */
function charactersOf(text: string): number {
  if (text.length < longText) return text.length;
  let escapes = 0;
  for (let at = text.indexOf(escaped); at >= 0; at = text.indexOf(escaped, at + 6)) {
    // After another backslash it may be none.
    if (text[at - 1] !== '\\') escapes += 1;
  }
  return text.length - 5 * escapes;
}

/** Sends statements to one client, without a wait between them. Returns when the server has answered all of them. */
async function pipeline(
  client: Pick<PoolClient, 'query'>,
  statements: readonly Statement[],
  nameOf: NameOf,
  count?: CountRead,
): Promise<StatementResult[]> {
  const configs = statements.map((statement) => configOf(nameOf, statement, count));
  const answers = await Promise.allSettled(configs.map((config) => client.query(config)));
  return answers.map((answer) => {
    if (answer.status === 'rejected') throw withoutValues(answer.reason);
    return answer.value;
  });
}

/** Around statements that are sent as one, for which nobody waits. */
const [start, end] = [{ text: 'START TRANSACTION' }, { text: 'END' }];

/** Sends statements to a pool: several as a transaction, in one round trip. */
async function send(
  pool: Pool,
  statements: readonly Statement[],
  nameOf: NameOf,
  count?: CountRead,
): Promise<StatementResult[]> {
  if (statements.length === 1) return pipeline(pool, statements, nameOf, count);
  const client = await pool.connect();
  try {
    const results = await pipeline(client, [start, ...statements, end], nameOf, count);
    return results.slice(1, -1);
  } finally {
    client.release();
  }
}

/** A log gets all that is enumerable of an error. */
const withValues = ['detail', 'where', 'internalQuery'];

/** PostgreSQL's error, of which Prisma reads more than a log may have, and in one case keeps only the message. */
function withoutValues(error: Error): Error {
  if (error instanceof pg.DatabaseError) {
    if (error.routine === 'RevalidateCachedQuery') error.message = stalePlan;
    for (const name of withValues) Object.defineProperty(error, name, { enumerable: false });
  }
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

/** Runs a statement or a transaction again that lost to another, up to 10 times: it had written nothing. */
export async function retryConflicts<T>(run: () => Promise<T>, scope?: RequestScope): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === maximumAttempts || !isConflict(error)) throw error;
    }
    scope?.observer?.countRepetition();
    const pause = Math.random() * Math.min(10 * 2 ** attempt, longestPause);
    await wait(scope, () => sleep(pause));
  }
}

interface Holder {
  scope: RequestScope | undefined;
  /** Ends the turn of the request. */
  release: () => void;
}

/** The connection of one transaction. Its statements run one after the other, within the deadline of the request. */
class HeldConnection implements Connection {
  readonly #client: PoolClient;
  readonly #nameOf: NameOf;
  readonly #holder: Holder;
  #isReleased = false;
  /** PostgreSQL undoes a transaction in which a statement failed, and answers its COMMIT as if it were done. */
  #failed: { error: unknown } | undefined;

  private constructor(client: PoolClient, nameOf: NameOf, holder: Holder) {
    this.#client = client;
    this.#nameOf = nameOf;
    this.#holder = holder;
  }

  /** Begins a transaction. */
  static async begin(pool: Pool, nameOf: NameOf, holder: Holder): Promise<HeldConnection> {
    const client = await pool.connect().catch((error) => {
      holder.release();
      throw error;
    });
    const connection = new HeldConnection(client, nameOf, holder);
    try {
      await pipeline(client, [{ text: 'BEGIN' }], nameOf);
      return connection;
    } catch (error) {
      connection.release();
      throw error;
    }
  }

  async query(statement: Statement): Promise<StatementResult> {
    const [result] = await this.queryInOrder([statement]);
    return result as StatementResult;
  }

  async queryInOrder(statements: readonly Statement[]): Promise<StatementResult[]> {
    return wait(this.#holder.scope, () => this.#query(statements));
  }

  async #query(statements: readonly Statement[]): Promise<StatementResult[]> {
    const { scope } = this.#holder;
    if (this.#isReleased) throw hasEnded();
    const isRollback = statements[0]?.text === 'ROLLBACK';
    if (this.#failed && !isRollback) throw this.#failed.error;
    const sendAll = () => pipeline(this.#client, statements, this.#nameOf, countIn(scope, false));
    const results = await report(scope, statements, sendAll).catch((error) => {
      this.#failed ??= { error };
    });
    // One that was sent before this may have failed meanwhile.
    if (!results || (this.#failed && !isRollback)) throw this.#failed?.error;
    return results;
  }

  /** Gives the connection back. The pool closes it if its transaction has not ended. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.release();
    this.#holder.release();
  }
}

/** The error of a statement that comes after the end of its transaction. */
export const hasEnded = () => Object.assign(new Error('the transaction has ended'), { code: 'P2028' });

interface Shared {
  pool: Pool;
  nameOf: NameOf;
}

/** How long a command waits for a transaction to begin. A request waits as long as it may. */
const beginMilliseconds = 10_000;

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

/** The connections of a pool, of which a request uses one at a time. */
export function connectionsOf({ pool, close }: OpenPool, nameOf: NameOf = () => ''): PoolConnections {
  return {
    within: (scope) => new PoolConnection({ pool, nameOf }, scope),
    close,
    connectionUse: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
  };
}

/** Waits until the request holds no connection: so nobody has several, however many fields ask at once. */
async function turnOf(scope: RequestScope | undefined): Promise<() => void> {
  if (!scope) return () => {};
  const { turns } = scope;
  const end = () => turns.end();
  if (!turns.tryBegin()) await wait(scope, () => turns.begin(), end);
  return end;
}

/** Sends statements to the pool within the request's time; repeats one that is its own transaction and loses to another. */
class PoolConnection implements Connection, Beginning {
  constructor(
    private readonly shared: Shared,
    private readonly scope: RequestScope | undefined,
  ) {}

  async query(statement: Statement): Promise<StatementResult> {
    const [result] = await this.queryInOrder([statement]);
    return result as StatementResult;
  }

  async queryInOrder(statements: readonly Statement[]): Promise<StatementResult[]> {
    try {
      return await this.#send(statements);
    } catch (error) {
      // The stack of a driver's error leads to its socket: from here it leads to who sent the statement.
      if (error instanceof pg.DatabaseError) Error.captureStackTrace(error);
      throw error;
    }
  }

  /** The first time with the prerequisite of the request. Others wait until it is known to hold. */
  async #send(statements: readonly Statement[]): Promise<StatementResult[]> {
    const state = this.scope?.prerequisite;
    if (!state) return this.#repeated(statements);
    if (!state.isUnderWay) return this.#pass(state, statements);
    await state.ended();
    return this.#send(statements);
  }

  /** Sends the prerequisite of the request, and statements with it. Throws why the request may not go on. */
  async #pass(state: PendingPrerequisite, statements: readonly Statement[]): Promise<StatementResult[]> {
    let results: StatementResult[] = [];
    await state.pass(async () => {
      results = await this.#repeated([state.prerequisite.statement, ...statements]);
      return results[0] as StatementResult;
    });
    if (this.scope) this.scope.prerequisite = undefined;
    return results.slice(1);
  }

  async requirePrerequisite(): Promise<void> {
    if (this.scope?.prerequisite) await this.#send([]);
  }

  #repeated(statements: readonly Statement[]): Promise<StatementResult[]> {
    return statements.length === 0 ? Promise.resolve([]) : retryConflicts(() => this.#query(statements), this.scope);
  }

  async begin(): Promise<HeldConnection> {
    await this.requirePrerequisite();
    const { pool, nameOf } = this.shared;
    const scope = this.scope ?? newScope(beginMilliseconds);
    const release = await turnOf(this.scope);
    if (isOver(scope)) release();
    const start = () => HeldConnection.begin(pool, nameOf, { scope: this.scope, release });
    return sendInTime(scope, 'BEGIN', start, (late) => late.release());
  }

  #query(statements: readonly Statement[]): Promise<StatementResult[]> {
    const { scope } = this;
    return scope?.reads ? scope.reads.read(() => this.#queryOnce(statements), scope) : this.#queryOnce(statements);
  }

  /** Keeps its connection for as long as that is used, even if the request does not wait any more. */
  async #queryOnce(statements: readonly Statement[]): Promise<StatementResult[]> {
    const { scope } = this;
    const { pool, nameOf } = this.shared;
    const release = await turnOf(scope);
    if (isOver(scope)) release();
    const start = () => {
      const sent = send(pool, statements, nameOf, countIn(scope, scope?.isChange === true));
      sent.then(release, release);
      return sent;
    };
    return report(scope, statements, () => wait(scope, start));
  }
}
