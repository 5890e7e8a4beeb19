import type { Types } from '@prisma/client/runtime/client';
import {
  type Connection,
  type ConnectionUse,
  connectionsOf,
  hasEnded,
  type PoolConnections,
  retryConflicts,
} from './connections.js';
import type { RequestScope, StatementResult } from './deadline.js';
import { type DatabaseTimeouts, openPool, statementNames } from './pool.js';
import { type Asker, callPrisma, sendAll, sendTo, type Target } from './prisma.js';
import { type Method, type RowInSql, type Sql, sql, toStatement } from './values.js';

/** A template with values, or SQL that was made of one. */
type Raw = [query: Sql | TemplateStringsArray, ...values: unknown[]];

/** What SQL needs of a database, or of a transaction. */
export type Statements = {
  $queryRaw<Rows = unknown>(...raw: Raw): Promise<Rows>;
  /** Returns how many rows it has written. */
  $executeRaw(...raw: Raw): Promise<number>;
};

/** What Prisma's own client offers once for the process, and a database of ours in its own way. */
type Once = '$transaction' | '$connect' | '$disconnect' | '$extends' | '$on' | keyof Statements;

/** Takes the arguments of Prisma's method, and returns what that would: a promise, which no other call can be chained to. */
type Find<Delegate, Name extends Method> = <Given extends Types.Public.Args<Delegate, Name>>(
  ...args: Name extends `findUnique${string}` ? [Exact<Delegate, Name, Given>] : [Exact<Delegate, Name, Given>?]
) => Promise<Types.Public.Result<Delegate, Given, Name>>;

type Exact<Delegate, Name extends Method, Given> = Types.Public.Exact<Given, Types.Public.Args<Delegate, Name>>;

/** The methods of a model, of which an extension may take the place of those that read. */
type DelegateOf<Delegate> = Omit<Delegate, Method> & { readonly [Name in Method]: Find<Delegate, Name> } & {
  /** The row with an id that another part of a statement finds; undefined if it has to be read apart. */
  rowAt(args: { where: object }, id: Sql): RowInSql | undefined;
};

type ModelsOf<Client> = {
  readonly [Name in keyof Client as Client[Name] extends { findMany: unknown } ? Name : never]: DelegateOf<
    Client[Name]
  >;
};

/** What can be asked in a transaction, or of the database itself, where each statement is a transaction of its own. */
export type Transaction<Client = unknown> = Omit<Client, Once | keyof ModelsOf<Client>> &
  ModelsOf<Client> &
  Statements & {
    /**
     * Executes SQL, then what `read` asks for, which sees what that has written. What it asks for at once goes in the same
     * message: the write is undone if such a read fails.
     */
    $queryRawThen<Rows, Result>(
      query: Sql,
      read: (tx: Transaction<Client>) => Promise<Result>,
    ): Promise<[Rows, Result]>;
  };

interface Options {
  timeout?: number;
  isolationLevel?: 'ReadUncommitted' | 'ReadCommitted' | 'RepeatableRead' | 'Serializable';
}

/** A database, with the models of a client of Prisma, or with none. */
export type Database<Client = unknown> = Transaction<Client> & {
  /** The same database for one request. */
  within(scope: RequestScope | undefined): Database<Client>;
  /**
   * Committed when the work has succeeded; undone if it throws, or takes longer than that many milliseconds (5,000). The
   * work is done again if the transaction loses to another.
   */
  $transaction<Result>(work: (tx: Transaction<Client>) => Promise<Result>, options?: Options): Promise<Result>;
  /** Runs what Prisma's own methods have returned, all of it or nothing. */
  $transaction<Asked extends Types.Public.PrismaPromise<unknown>[]>(
    asked: readonly [...Asked],
    options?: Pick<Options, 'isolationLevel'>,
  ): Promise<{ [Index in keyof Asked]: Awaited<Asked[Index]> }>;
  /** Whether it responds. */
  isReady(): Promise<boolean>;
  /** Checks the prerequisite of the request, unless it is known to hold. Throws why the request may not go on. */
  requirePrerequisite(): Promise<void>;
  $disconnect(): Promise<void>;
  connectionUse(): ConnectionUse;
};

/** A client of Prisma on {@link adapter}, which may be extended, and the names of its models. */
export interface PrismaModels<Client> {
  client: Statements;
  models: readonly string[];
  /** Only a type: what the client has when it is not extended. */
  beneath?: Client;
}

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
}

/** Opens a database with its own connection pool, which `$disconnect()` closes. Without models it only runs SQL. */
export function openClient<Client = unknown>(
  { url, poolSize, preparedStatements, timeouts, onError }: DatabaseOptions,
  prisma?: PrismaModels<Client>,
): Database<Client> {
  const names = statementNames(() => opened.renew());
  const onStalePlans = names.renew;
  const opened = openPool({ url, size: poolSize, name: 'goalpost', timeouts, onError, onStalePlans });
  const nameOf = preparedStatements ? names.nameOf : undefined;
  return databaseOn(connectionsOf(opened, nameOf), prisma);
}

/** What a method of an extension finds as `this`, if a request or a transaction has called it. */
const asker = Symbol('asker');

export const askerOf = (self: object): Asker => (self as { [asker]: Asker })[asker];

/** A method of an extension, which finds its asker itself. Any other is one of Prisma's. */
const accelerated = new WeakSet<object>();

export const accelerate = <Methods extends object>(methods: Methods): Methods => {
  for (const method of Object.values(methods)) accelerated.add(method);
  return methods;
};

/** The database on the connections of a pool. What belongs to no request may take its time. */
export function databaseOn<Client>(
  { within, close, connectionUse }: PoolConnections,
  { client, models = [] }: Partial<PrismaModels<Client>> = {},
): Database<Client> {
  const prototype = transactionPrototype(client, models);
  const transactionOf = (target: Target, isRequest: boolean) => new prototype({ target, isRequest });
  const databaseWithin = (scope: RequestScope | undefined): Database<Client> => {
    const connection = within(scope);
    const isRequest = scope !== undefined;
    const database = transactionOf(connection, isRequest);
    return Object.assign(database, {
      within: databaseWithin,
      $transaction: (asked: Promise<unknown>[] | ((tx: unknown) => Promise<unknown>), options: Options = {}) =>
        typeof asked === 'function'
          ? retryConflicts(() => transact(connection, options, (held) => asked(transactionOf(held, isRequest))), scope)
          : transact(connection, options, (held) => sendAll(held, asked)),
      isReady: () =>
        connection.query({ text: 'SELECT 1' }).then(
          () => true,
          () => false,
        ),
      requirePrerequisite: () => connection.requirePrerequisite(),
      connectionUse,
      $disconnect: close,
    }) as never;
  };
  return databaseWithin(undefined);
}

const sqlOf = ([query, ...values]: Raw): Sql => ('raw' in query ? sql(query, ...values) : query);

/** Sends SQL as it is. */
export const statements: Statements = {
  async $queryRaw<Rows = unknown>(this: object, ...raw: Raw): Promise<Rows> {
    return (await askerOf(this).target.query(toStatement(sqlOf(raw)))).rows as Rows;
  },
  async $executeRaw(this: object, ...raw: Raw): Promise<number> {
    return (await askerOf(this).target.query(toStatement(sqlOf(raw)))).rowCount ?? 0;
  },
};

/** The class of what one request, or one transaction, holds: light, as Prisma's own for a transaction is not. */
function transactionPrototype(client: Statements | undefined, models: readonly string[]) {
  class Asking {
    readonly [asker]: Asker;

    constructor(own: Asker) {
      this[asker] = own;
    }

    $queryRawThen(query: Sql, read: (tx: Asking) => Promise<unknown>): Promise<[unknown, unknown]> {
      const { target, isRequest } = this[asker];
      return queryThen(target, query, (next) => read(new Asking({ target: next, isRequest })));
    }
  }
  for (const name of ['$queryRaw', '$executeRaw', '$queryRawUnsafe', '$executeRawUnsafe'] as const) {
    const own = client ? Reflect.get(client, name) : Reflect.get(statements, name);
    const isOurs = !client || accelerated.has(own);
    const send = function (this: Asking, ...args: unknown[]) {
      return sendTo(this[asker].target, Reflect.apply(own, client as object, args) as Promise<unknown>);
    };
    Object.defineProperty(Asking.prototype, name, { value: isOurs ? own : send });
  }
  for (const model of models) {
    const name = model.charAt(0).toLowerCase() + model.slice(1);
    const Delegate = delegateOf(model, Reflect.get(client ?? {}, name));
    Object.defineProperty(Asking.prototype, name, {
      get(this: Asking) {
        return new Delegate(this[asker]);
      },
    });
  }
  return Asking;
}

/** The class of a model as one request, or one transaction, sees it. */
function delegateOf(model: string, delegate: object) {
  class Delegate {
    readonly [asker]: Asker;

    constructor(own: Asker) {
      this[asker] = own;
    }

    get $name() {
      return model;
    }

    rowAt(): RowInSql | undefined {
      return undefined;
    }
  }
  for (const method of Object.keys(delegate).filter((name) => !name.startsWith('$') && name !== 'name')) {
    const own = Reflect.get(delegate, method);
    const call = function (this: Delegate, args?: object) {
      return callPrisma(this[asker], [model, delegate], method, args);
    };
    const value = typeof own !== 'function' || accelerated.has(own) ? own : call;
    Object.defineProperty(Delegate.prototype, method, { value, enumerable: true });
  }
  return Delegate;
}

const connectionOf = (queryInOrder: Connection['queryInOrder']): Connection => ({
  query: async (statement) => (await queryInOrder([statement]))[0] as StatementResult,
  queryInOrder,
});

/** Sends a statement, with what `read` asks for at once in the same round trip. */
async function queryThen<Result>(
  target: Target,
  query: Sql,
  read: (target: Target) => Promise<Result>,
): Promise<[rows: unknown[], Result]> {
  const all = [toStatement(query)];
  let isSent = false;
  const send = () => {
    isSent = true;
    return target.queryInOrder(all);
  };
  let results: Promise<StatementResult[]> | undefined;
  const queryInOrder: Connection['queryInOrder'] = async (statements) => {
    if (isSent) return target.queryInOrder(statements);
    const start = all.push(...statements) - statements.length;
    // Once it has asked for everything.
    results ??= Promise.resolve().then(send);
    return (await results).slice(start, start + statements.length);
  };
  const result = await read(connectionOf(queryInOrder));
  const [first] = await (results ?? send());
  return [first?.rows ?? [], result];
}

/** Runs the work in a transaction: committed when it has succeeded, undone if it throws or takes longer than that. */
async function transact<Result>(
  connections: Required<Target>,
  { timeout = 5_000, isolationLevel }: Options,
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
  const expiry = setTimeout(() => void end('ROLLBACK').catch(() => {}), timeout);
  try {
    if (isolationLevel) {
      const level = isolationLevel.replace(/(?<=[a-z])(?=[A-Z])/, ' ');
      await connection.query({ text: `SET TRANSACTION ISOLATION LEVEL ${level}` });
    }
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
