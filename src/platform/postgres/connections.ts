import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, CustomTypesConfig, Pool, PoolClient } from 'pg';
import pg from 'pg';
import { isOver, newScope, type RequestScope, report, sendInTime, wait } from './deadline.js';
import { isConflict } from './errors.js';
import type { Prerequisite } from './prerequisite.js';
import type { Statement, StatementResult } from './values.js';

/** Where statements are sent: the pool, or a transaction. */
export interface Connection {
  /** Sends statements in one round trip, which are executed in this order: all of them, or none if one fails. */
  send(statements: readonly Statement[]): Promise<StatementResult[]>;
}

export async function sendOne(connection: Connection, statement: Statement): Promise<StatementResult> {
  const [result] = await connection.send([statement]);
  return result as StatementResult;
}

/** Returns the name under which a connection prepares a text; an empty one if it does not. */
export type NameOf = (text: string) => string;

type ReadAs = (types: CustomTypesConfig | undefined) => CustomTypesConfig;

/** Counts what a request reads, as it arrives. What throws fails the statement, and the driver keeps no further rows. */
function counting(scope: RequestScope | undefined, mayHaveChanged: boolean): ReadAs {
  const reads = scope?.reads;
  if (!reads) return (types = ownTypes) => types;
  return (types = ownTypes) => ({
    getTypeParser: (type, format) => {
      const parse = types.getTypeParser(type, format as 'text') as (value: string) => unknown;
      return (value: string) => {
        reads.count(charactersOf(value), mayHaveChanged);
        return parse(value);
      };
    },
  });
}

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
  readAs: ReadAs = (types = ownTypes) => types,
): Promise<StatementResult[]> {
  // In one system call for all of them.
  const socket = 'connection' in client ? (client as Client).connection.stream : undefined;
  socket?.cork();
  const sent = statements.map((statement): Promise<StatementResult> => {
    // What Prisma's client has sent takes none of the names.
    const name = statement.types ? '' : nameOf(statement.text);
    const config = { ...statement, name, types: readAs(statement.types) };
    return client.query(config);
  });
  socket?.uncork();
  const answers = await Promise.allSettled(sent);
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
  readAs: ReadAs,
): Promise<StatementResult[]> {
  if (statements.length === 1) return pipeline(pool, statements, nameOf, readAs);
  const client = await pool.connect();
  try {
    const results = await pipeline(client, [start, ...statements, end], nameOf, readAs);
    return results.slice(1, -1);
  } finally {
    client.release();
  }
}

/** A log gets all that is enumerable of an error. */
const withValues = ['detail', 'where', 'internalQuery'];

/** PostgreSQL's error, without what a log may not have. */
function withoutValues(error: Error): Error {
  if (error instanceof pg.DatabaseError)
    for (const name of withValues) Object.defineProperty(error, name, { enumerable: false });
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

const ownTypes: CustomTypesConfig = {
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

/** The connection of one transaction. Its statements run one after the other, within the deadline of the request. */
class HeldConnection implements Connection {
  #failed: { error: unknown } | undefined;
  #ended: Promise<unknown> | undefined;

  constructor(
    private readonly client: PoolClient,
    private readonly nameOf: NameOf,
    private readonly scope: RequestScope | undefined,
    /** Gives the connection back. The pool closes it if its transaction has not ended. */
    readonly release: () => void,
  ) {}

  async send(statements: readonly Statement[]): Promise<StatementResult[]> {
    this.#requireOpen();
    return this.#send(statements);
  }

  async commit(): Promise<void> {
    this.#requireOpen();
    await this.#end('COMMIT');
  }

  async rollBack(): Promise<void> {
    await (this.#ended ?? this.#end('ROLLBACK'));
  }

  #requireOpen(): void {
    if (this.#ended) throw Object.assign(new Error('the transaction has ended'), { code: 'P2028' });
    if (this.#failed) throw this.#failed.error;
  }

  #end(statement: 'COMMIT' | 'ROLLBACK'): Promise<unknown> {
    this.#ended = this.#send([{ text: statement }]).finally(this.release);
    return this.#ended;
  }

  /** Fails once a statement has: PostgreSQL undoes the transaction, and answers its COMMIT as if it were done. */
  async #send(statements: readonly Statement[]): Promise<StatementResult[]> {
    const { client, nameOf, scope } = this;
    const sendAll = () => pipeline(client, statements, nameOf, counting(scope, false));
    const results = await wait(scope, () => report(scope, statements, sendAll)).catch((error) => {
      this.#failed ??= { error };
    });
    if (!results || this.#failed) throw this.#failed?.error;
    return results;
  }
}

/** How long a command waits for a transaction to begin. A request waits as long as it may. */
const beginMilliseconds = 10_000;

/** How long a transaction may take, in milliseconds. */
const workMilliseconds = 5_000;

/** Waits until the request holds no connection: so nobody has several, however many fields ask at once. */
async function turnOf(scope: RequestScope | undefined): Promise<() => void> {
  if (!scope) return () => {};
  const { turns } = scope;
  const end = () => turns.end();
  if (!turns.tryBegin()) await wait(scope, () => turns.begin(), end);
  return end;
}

/**
 * The connections of a pool, of which a request uses one at a time, within its time. A statement that is its own
 * transaction, and loses to another, is repeated.
 */
export class PoolConnection implements Connection {
  constructor(
    private readonly pool: Pool,
    private readonly nameOf: NameOf,
    private readonly scope: RequestScope | undefined,
  ) {}

  async send(statements: readonly Statement[]): Promise<StatementResult[]> {
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
    const prerequisite = this.scope?.prerequisite;
    if (!prerequisite) return this.#repeated(statements);
    if (!prerequisite.isUnderWay) return this.#pass(prerequisite, statements);
    await prerequisite.ended();
    return this.#send(statements);
  }

  /** Sends the prerequisite of the request, and statements with it. Throws why the request may not go on. */
  async #pass(prerequisite: Prerequisite, statements: readonly Statement[]): Promise<StatementResult[]> {
    let results: StatementResult[] = [];
    await prerequisite.pass(async () => {
      results = await this.#repeated([prerequisite.statement, ...statements]);
      return results[0] as StatementResult;
    });
    if (this.scope) this.scope.prerequisite = undefined;
    return results.slice(1);
  }

  /** Checks the prerequisite of the request, unless it is known to hold. Throws why the request may not go on. */
  async requirePrerequisite(): Promise<void> {
    if (this.scope?.prerequisite) await this.#send([]);
  }

  #repeated(statements: readonly Statement[]): Promise<StatementResult[]> {
    return statements.length === 0 ? Promise.resolve([]) : retryConflicts(() => this.#query(statements), this.scope);
  }

  #query(statements: readonly Statement[]): Promise<StatementResult[]> {
    const { scope } = this;
    if (!scope?.reads) return this.#queryOnce(statements);
    return scope.reads.read(
      () => this.#queryOnce(statements),
      (place) => wait(scope, place),
    );
  }

  /** Keeps its connection for as long as that is used, even if the request does not wait any more. */
  async #queryOnce(statements: readonly Statement[]): Promise<StatementResult[]> {
    const { pool, nameOf, scope } = this;
    const release = await turnOf(scope);
    if (isOver(scope)) release();
    const start = () => {
      const sent = send(pool, statements, nameOf, counting(scope, scope?.isChange === true));
      sent.then(release, release);
      return sent;
    };
    return report(scope, statements, () => wait(scope, start));
  }

  /**
   * Runs the work in a transaction: committed when it has succeeded, undone if it throws or takes longer than that, and
   * done again if the transaction loses to another.
   */
  transact<Result>(
    work: (connection: Connection) => Promise<Result>,
    { timeout = workMilliseconds }: { timeout?: number } = {},
  ): Promise<Result> {
    return retryConflicts(async () => {
      const held = await this.#begin();
      const expiry = setTimeout(() => void held.rollBack().catch(() => {}), timeout);
      try {
        const result = await work(held);
        await held.commit();
        return result;
      } catch (error) {
        await held.rollBack().catch(() => {});
        throw error;
      } finally {
        clearTimeout(expiry);
      }
    }, this.scope);
  }

  async #begin(): Promise<HeldConnection> {
    await this.requirePrerequisite();
    const { pool, nameOf, scope } = this;
    const end = await turnOf(scope);
    if (isOver(scope)) end();
    const start = async () => {
      let client: PoolClient | undefined;
      const release = () => {
        client?.release();
        end();
      };
      try {
        client = await pool.connect();
        await pipeline(client, [{ text: 'BEGIN' }], nameOf);
        return new HeldConnection(client, nameOf, scope, release);
      } catch (error) {
        release();
        throw error;
      }
    };
    return sendInTime(scope ?? newScope(beginMilliseconds), 'BEGIN', start, (late) => late.release());
  }
}
