import { type Beginning, type Connection, hasEnded, type Statement, type StatementResult } from './connections.js';
import type { Sql } from './values.js';

/** The methods of Prisma's models that answer requests. */
export type Method = 'findUnique' | 'findUniqueOrThrow' | 'findFirst' | 'findMany';

/**
 * A `select` or `include` of Prisma that is made once and serves many calls. Some of its values stand for those of each
 * call.
 */
export class KeptSelection {
  /** With what stands for the values of a call. */
  readonly template: object;
  readonly #own: ReadonlyMap<unknown, unknown>;

  constructor(template: object, own: ReadonlyMap<unknown, unknown> = new Map()) {
    this.template = template;
    this.#own = own;
  }

  /** The same for a call: with its own values in place of those that stand for them. */
  withOwn(own: ReadonlyMap<unknown, unknown>): KeptSelection {
    return new KeptSelection(this.template, own);
  }

  /** The value of the call for one of the template. */
  readonly valueOf = (value: unknown): unknown => this.#own.get(value) ?? value;

  /** As Prisma reads it. */
  plain(part: unknown = this.template): unknown {
    if (Array.isArray(part)) return part.map((item) => this.plain(item));
    if (typeof part !== 'object' || part === null || part instanceof Date) return this.valueOf(part);
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, this.plain(value)]));
  }
}

/** A row as a JSON value in SQL, and how that becomes what Prisma returns. */
export interface RowInSql {
  sql: Sql;
  make: (json: unknown) => unknown;
}

/** What executes reads and SQL: Prisma, or the driver and an accelerator. */
export interface Engine {
  read(model: string, method: Method, args: object): Promise<unknown>;
  /** The row with an id that another part of a statement finds; undefined if it has to be read apart. */
  rowAt(model: string, args: { where: object }, id: Sql): RowInSql | undefined;
  queryRaw(query: Sql): Promise<unknown[]>;
  /** Then reads what `read` asks its engine for at once, in the same message if possible. */
  queryRawThen<Result>(query: Sql, read: (engine: Engine) => Promise<Result>): Promise<[rows: unknown[], Result]>;
  executeRaw(query: Sql): Promise<number>;
}

/** An engine that begins transactions, each on a connection of its own. */
export interface PoolEngine extends Engine {
  transact<Result>(milliseconds: number, work: (engine: Engine) => Promise<Result>): Promise<Result>;
}

/** Answers reads in the place of Prisma, with the same arguments and results. Throws an error that names a call that it does not know. */
export interface Accelerator {
  read(connection: Connection, model: string, method: Method, args: object): Promise<unknown>;
  rowAt(model: string, args: { where: object }, id: Sql): RowInSql;
}

/** Sends SQL to the driver; an accelerator reads models. */
class DirectEngine implements Engine {
  readonly #connection: Connection;
  readonly #accelerator: Accelerator | undefined;

  constructor(connection: Connection, accelerator: Accelerator | undefined) {
    this.#connection = connection;
    this.#accelerator = accelerator;
  }

  async read(model: string, method: Method, args: object): Promise<unknown> {
    return this.#accelerator?.read(this.#connection, model, method, args);
  }

  rowAt(model: string, args: { where: object }, id: Sql): RowInSql | undefined {
    return this.#accelerator?.rowAt(model, args, id);
  }

  async queryRaw(query: Sql): Promise<unknown[]> {
    return (await this.#connection.query(toStatement(query))).rows;
  }

  async queryRawThen<Result>(
    query: Sql,
    read: (engine: Engine) => Promise<Result>,
  ): Promise<[rows: unknown[], Result]> {
    const all = [toStatement(query)];
    let isSent = false;
    const send = () => {
      isSent = true;
      return this.#connection.queryInOrder(all);
    };
    let results: Promise<StatementResult[]> | undefined;
    const queryInOrder: Connection['queryInOrder'] = async (statements) => {
      if (isSent) return this.#connection.queryInOrder(statements);
      const start = all.push(...statements) - statements.length;
      // Once it has asked for everything.
      results ??= Promise.resolve().then(send);
      return (await results).slice(start, start + statements.length);
    };
    const result = await read(new DirectEngine(connectionOf(queryInOrder), this.#accelerator));
    const [first] = await (results ?? send());
    return [first?.rows ?? [], result];
  }

  async executeRaw(query: Sql): Promise<number> {
    return (await this.#connection.query(toStatement(query))).rowCount ?? 0;
  }
}

const connectionOf = (queryInOrder: Connection['queryInOrder']): Connection => ({
  query: async (statement) => (await queryInOrder([statement]))[0] as StatementResult,
  queryInOrder,
});

// The driver would write a time in the zone of this process.
/** The SQL of a statement as it is sent. */
export const toStatement = ({ text, values }: Sql): Statement => ({
  text,
  values: values.map((value) => (value instanceof Date ? value.toISOString() : value)),
});

/** The engine of the default mode. */
export const directEngine = (connection: Connection & Beginning, accelerator: Accelerator | undefined): PoolEngine =>
  Object.assign(new DirectEngine(connection, accelerator), {
    transact: <Result>(milliseconds: number, work: (engine: Engine) => Promise<Result>) =>
      transact(connection, milliseconds, (held) => work(new DirectEngine(held, accelerator))),
  });

/**
 * Runs the work in a transaction: committed when it has succeeded, undone if it throws or takes longer than that. Prisma's
 * own transactions start Prisma, which costs 30 MB, and a restore with a key a sixth of its processor time.
 */
async function transact<Result>(
  connections: Beginning,
  milliseconds: number,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const held = await connections.begin();
  let ended: Promise<void> | undefined;
  const end = (statement: 'COMMIT' | 'ROLLBACK') => {
    ended ??= held
      .query({ text: statement })
      .then(() => {})
      .finally(() => held.release());
    return ended;
  };
  const connection = connectionOf(async (statements) => {
    if (ended) throw hasEnded();
    return held.queryInOrder(statements);
  });
  const expiry = setTimeout(() => void end('ROLLBACK').catch(() => {}), milliseconds);
  try {
    const result = await work(connection);
    if (ended) throw hasEnded();
    await end('COMMIT');
    return result;
  } catch (error) {
    await end('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    clearTimeout(expiry);
  }
}
