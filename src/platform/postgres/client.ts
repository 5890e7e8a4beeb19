import type { Types } from '@prisma/client/runtime/client';
import type { Pool } from 'pg';
import { lazy } from '../caching/index.js';
import { type Connection, type NameOf, PoolConnection, sendOne } from './connections.js';
import type { RequestScope } from './deadline.js';
import { type OpenPool, openPool, type PoolOptions, statementNames } from './pool.js';
import { lowered, ModelReads, type Reader } from './reader/reader.js';
import { type Method, type RowInSql, type Sql, type StatementResult, sql, toStatement } from './values.js';

/** A template with values, or SQL that was made of one. */
type Raw = [query: Sql | TemplateStringsArray, ...values: unknown[]];

/**
 * Takes the arguments of Prisma's method, of which `where` names the company, and returns what that would: a promise,
 * which no other call can be chained to.
 */
type Read<Delegate, Name extends Method, Bound> = <Given extends Args<Delegate, Name>>(
  args: Types.Public.Exact<Given, Args<Delegate, Name>> & Bound,
) => Promise<Types.Public.Result<Delegate, Given, Name>>;

type Args<Delegate, Name extends Method> = Types.Public.Args<Delegate, Name>;

/** The models of a client of Prisma. */
type ModelsOf<Client> = {
  readonly [Name in keyof Client as Client[Name] extends { findMany: unknown } ? Name : never]: Client[Name];
};

type Where<Delegate> = NonNullable<(Args<Delegate, 'findFirst'> & { where?: object })['where']>;

/** Those of a company, and the company itself. */
type TenantsModels<Client> = {
  readonly [Name in keyof ModelsOf<Client> as Name extends 'company'
    ? Name
    : 'companyId' extends keyof Where<Client[Name]>
      ? Name
      : never]: ReadsOf<Client[Name], Name extends 'company' ? { id: string } : { companyId: string }>;
};

/** What a request or a transaction reads of a model. */
type ReadsOf<Delegate, Company> = {
  readonly [Name in Method]: Read<Delegate, Name, Name extends `findUnique${string}` ? unknown : { where: Company }>;
} & {
  /** The row with an id that another part of a statement finds; undefined if one statement cannot read it. */
  rowAt(args: { where: object }, id: Sql): RowInSql | undefined;
};

/** What can be asked in a transaction, or within a request, where each statement is a transaction of its own. */
export type Transaction<Client = unknown> = TenantsModels<Client> & {
  $queryRaw<Rows = unknown>(...raw: Raw): Promise<Rows>;
  $executeRaw(...raw: Raw): Promise<number>;
  /**
   * Executes SQL, then what `read` asks for, which sees what that has written. What it asks for at once goes in the same
   * message: the write is undone if such a read fails.
   */
  $queryRawThen<Rows, Result>(query: Sql, read: (tx: Transaction<Client>) => Promise<Result>): Promise<[Rows, Result]>;
};

/** A database for one request. */
export type Database<Client = unknown> = Transaction<Client> & {
  /** For a request of this tenant, once that is known. */
  within(scope: RequestScope | undefined, tenant?: string): Database<Client>;
  /** Undone if the work throws or takes longer than 5,000 ms. Done again if the transaction loses to another. */
  $transaction<Result>(
    work: (tx: Transaction<Client>) => Promise<Result>,
    options?: { timeout?: number },
  ): Promise<Result>;
  /** Checks the prerequisite of the request, unless it is known to hold. Throws why the request may not go on. */
  requirePrerequisite(): Promise<void>;
  $disconnect(): Promise<void>;
  connectionUse(): ConnectionUse;
};

/** A database for the whole process: of its models, it has what Prisma's own client does, on the same pool. */
export type OwnDatabase<Client> = Omit<Database<Client>, keyof ModelsOf<Client>> &
  ModelsOf<Client> & { readonly prisma: Client };

export interface ConnectionUse {
  open: number;
  idle: number;
  /** How many statements and transactions wait for a connection. */
  waiting: number;
}

/** How a database has models: a class with a getter for each, how they are read within a request, and Prisma's own client. */
export interface ModelClass<Client> {
  Class: typeof DatabaseHandle;
  reader: Reader;
  clientOn: (pool: Pool) => Client;
}

export interface DatabaseOptions extends PoolOptions {
  /** Whether to name prepared statements. A transaction-pooling PgBouncer older than 1.21 does not support that. */
  preparedStatements: boolean;
}

/** Opens a database with its own connection pool, which `$disconnect()` closes; without models it only runs SQL. */
export function openClient<Client = unknown>(
  { preparedStatements, ...options }: DatabaseOptions,
  models?: ModelClass<Client>,
): OwnDatabase<Client> {
  const opened = openPool(options);
  const names = statementNames(opened.renew);
  return databaseOn(opened, (text) => (preparedStatements && opened.keepsNames ? names(text) : ''), models);
}

/** The database on the connections of a pool. What belongs to no request may take its time. */
export function databaseOn<Client = unknown>(
  opened: OpenPool,
  nameOf: NameOf = () => '',
  { Class = DatabaseHandle, reader, clientOn }: Partial<ModelClass<Client>> = {},
): OwnDatabase<Client> {
  const shared = { opened, nameOf, reader, prisma: lazy(() => clientOn?.(opened.pool)) };
  return new Class(shared, new PoolConnection(opened.pool, nameOf, undefined), undefined, true) as never;
}

/** What all that was made of one database have in common. */
interface Shared {
  opened: OpenPool;
  nameOf: NameOf;
  reader: Reader | undefined;
  prisma: () => unknown;
}

const sqlOf = ([query, ...values]: Raw): Sql => ('raw' in query ? sql(query, ...values) : query);

/**
 * What a process, a request or a transaction asks of a database: light, as Prisma's own for a transaction is not. The
 * generated class extends it. @public
 */
export class DatabaseHandle {
  constructor(
    private readonly shared: Shared,
    private readonly connection: Connection,
    /** Whose request it is. */
    private readonly tenant?: string,
    /** Whether it is the process itself: all others read within one company. */
    private readonly isOwn = false,
  ) {}

  /** A model, for the getters of the generated class. */
  protected model(name: string): unknown {
    const { reader, prisma } = this.shared;
    if (this.isOwn) return Reflect.get(prisma() as object, lowered(name));
    return reader && new ModelReads(reader, name, this.connection, this.tenant);
  }

  get prisma(): unknown {
    if (!this.isOwn) throw new Error('a request or a transaction asks nothing of the client of Prisma');
    return this.shared.prisma();
  }

  within(scope: RequestScope | undefined, tenant?: string): DatabaseHandle {
    const { opened, nameOf } = this.shared;
    return this.#on(new PoolConnection(opened.pool, nameOf, scope), tenant);
  }

  async $queryRaw(...raw: Raw): Promise<unknown[]> {
    return (await sendOne(this.connection, toStatement(sqlOf(raw)))).rows;
  }

  async $executeRaw(...raw: Raw): Promise<number> {
    return (await sendOne(this.connection, toStatement(sqlOf(raw)))).rowCount ?? 0;
  }

  $queryRawThen<Result>(query: Sql, read: (next: DatabaseHandle) => Promise<Result>): Promise<[unknown[], Result]> {
    return queryThen(this.connection, query, (next) => read(this.#on(next)));
  }

  async $transaction<Result>(
    work: (tx: DatabaseHandle) => Promise<Result>,
    options?: { timeout?: number },
  ): Promise<Result> {
    const { connection } = this;
    if (!(connection instanceof PoolConnection)) throw new Error('a transaction within a transaction');
    return connection.transact((held) => work(this.#on(held)), options);
  }

  async requirePrerequisite(): Promise<void> {
    if (this.connection instanceof PoolConnection) await this.connection.requirePrerequisite();
  }

  connectionUse(): ConnectionUse {
    const { totalCount, idleCount, waitingCount } = this.shared.opened.pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  $disconnect(): Promise<void> {
    return this.shared.opened.close();
  }

  #on(connection: Connection, tenant = this.tenant): DatabaseHandle {
    return new (this.constructor as typeof DatabaseHandle)(this.shared, connection, tenant);
  }
}

/** Sends a statement, with what `read` asks for at once in the same round trip. */
async function queryThen<Result>(
  target: Connection,
  query: Sql,
  read: (target: Connection) => Promise<Result>,
): Promise<[rows: unknown[], Result]> {
  const all = [toStatement(query)];
  let isSent = false;
  const sendAll = () => {
    isSent = true;
    return target.send(all);
  };
  let results: Promise<StatementResult[]> | undefined;
  const send: Connection['send'] = async (statements) => {
    // What Prisma's client asks for comes after what was written, whenever it is ready.
    const isAhead = !isSent && !statements.some(({ types }) => types);
    const start = isAhead ? all.push(...statements) - statements.length : 0;
    // Once it has asked for everything.
    results ??= isSent ? undefined : Promise.resolve().then(sendAll);
    const sent = await results;
    return isAhead ? (sent ?? []).slice(start, start + statements.length) : target.send(statements);
  };
  const result = await read({ send });
  const [first] = await (results ?? sendAll());
  return [first?.rows ?? [], result];
}
