import type { Types } from '@prisma/client/runtime/client';
import { type ConnectionUse, connectionsOf, type PoolConnections, retryConflicts } from './connections.js';
import type { RequestScope } from './deadline.js';
import { type Accelerator, directEngine, type Engine, type Method, type RowInSql } from './engine.js';
import { type DatabaseTimeouts, openPool, statementNames } from './pool.js';
import { type MakePrisma, startPrisma } from './prisma.js';
import { type Sql, sql } from './values.js';

/** Takes the arguments of Prisma's method, and returns what that would. */
type Find<Delegate, Name extends Method> = <Given extends Types.Public.Args<Delegate, Name>>(
  args: Types.Public.Exact<Given, Types.Public.Args<Delegate, Name>>,
) => Promise<Types.Public.Result<Delegate, Given, Name>>;

type FindsOf<Delegate> = { readonly [Name in Method]: Find<Delegate, Name> } & {
  /** The row with an id that another part of a statement finds; undefined if it has to be read apart. */
  rowAt(args: { where: object }, id: Sql): RowInSql | undefined;
};

/** The models of a client of Prisma. */
type ModelsOf<Prisma> = {
  readonly [Name in keyof Prisma as Prisma[Name] extends { findMany: unknown } ? Name : never]: FindsOf<Prisma[Name]>;
};

/** A template with values, or SQL that was made of one. */
type Raw = [query: Sql | TemplateStringsArray, ...values: unknown[]];

/** What can be asked in a transaction, or of the database itself, where each statement is a transaction of its own. */
export type Transaction<Prisma = unknown> = ModelsOf<Prisma> & {
  $queryRaw<Rows = unknown>(...raw: Raw): Promise<Rows>;
  /**
   * Executes SQL, then what `read` asks for at once, which sees what that has written. With the reader, all is one message:
   * the write is undone if a read fails.
   */
  $queryRawThen<Rows, Result>(query: Sql, read: (tx: Transaction<Prisma>) => Promise<Result>): Promise<[Rows, Result]>;
  /** Returns how many rows it has written. */
  $executeRaw(...raw: Raw): Promise<number>;
};

/** A database, with the models of a generated client of Prisma, or with none. */
export type Database<Prisma = unknown> = Transaction<Prisma> & {
  /** The same database for one request. */
  within(scope: RequestScope | undefined): Database<Prisma>;
  /**
   * Committed when the work has succeeded; undone if it throws, or takes longer than that many milliseconds (5,000). The
   * work is done again if the transaction loses to another.
   */
  $transaction<Result>(
    work: (tx: Transaction<Prisma>) => Promise<Result>,
    limits?: { timeout: number },
  ): Promise<Result>;
  /** Prisma's own client, for what no request does. Its first use costs 30 MB and 0.1 s of processor time. */
  readonly prisma: Prisma;
  /** Whether it responds. */
  isReady(): Promise<boolean>;
  /** Checks the prerequisite of the request, unless it is known to hold. Throws why the request may not go on. */
  requirePrerequisite(): Promise<void>;
  $disconnect(): Promise<void>;
  connectionUse(): ConnectionUse;
};

/** A generated client of Prisma, and what answers reads in its place. */
export interface PrismaModels<Prisma> {
  make: MakePrisma<Prisma>;
  /** The names of its models. */
  models: readonly string[];
  /** Without one, Prisma executes every statement. */
  accelerator?: Accelerator | undefined;
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

/** Opens a client with its own connection pool. `$disconnect()` closes both. Without models it only runs SQL. */
export function openClient<Prisma = unknown>(
  { url, poolSize, preparedStatements, timeouts, onError }: DatabaseOptions,
  prisma?: PrismaModels<Prisma>,
): Database<Prisma> {
  const names = statementNames(() => opened.renew());
  const onStalePlans = names.renew;
  const opened = openPool({ url, size: poolSize, name: 'goalpost', timeouts, onError, onStalePlans });
  const nameOf = preparedStatements ? names.nameOf : undefined;
  return databaseOn(connectionsOf(opened, nameOf), prisma);
}

/** The database on the connections of a pool. What belongs to no request may take its time. */
export function databaseOn<Prisma>(
  { within, close, connectionUse }: PoolConnections,
  { make, models = [], accelerator }: Partial<PrismaModels<Prisma>> = {},
): Database<Prisma> {
  let started: ReturnType<typeof startPrisma<Prisma>> | undefined;
  const prisma = () => {
    if (!make) throw new Error('this database has no models');
    started ??= startPrisma(make, within(undefined));
    return started;
  };
  const reads = readsOf(models);
  const common = Object.create(reads, { prisma: { get: () => prisma().client } });
  const transactionOn = (engine: Engine, prototype: object) =>
    Object.assign(Object.create(prototype), {
      engine,
      $queryRaw: (...raw: Raw) => engine.queryRaw(sqlOf(raw)),
      $queryRawThen: (query: Sql, read: (tx: Transaction<Prisma>) => Promise<unknown>) =>
        engine.queryRawThen(query, (next) => read(transactionOn(next, reads))),
      $executeRaw: (...raw: Raw) => engine.executeRaw(sqlOf(raw)),
    });
  const databaseWithin = (scope: RequestScope | undefined): Database<Prisma> => {
    const connection = within(scope);
    const engine = make && !accelerator ? prisma().engineOn(connection) : directEngine(connection, accelerator);
    return Object.assign(transactionOn(engine, common), {
      within: databaseWithin,
      $transaction: <Result>(work: (tx: Transaction<Prisma>) => Promise<Result>, { timeout } = { timeout: 5_000 }) =>
        retryConflicts(() => engine.transact(timeout, (held) => work(transactionOn(held, reads))), scope),
      isReady: () =>
        engine.queryRaw(sql`SELECT 1`).then(
          () => true,
          () => false,
        ),
      requirePrerequisite: () => connection.requirePrerequisite(),
      connectionUse,
      $disconnect: async () => {
        await started?.close();
        await close();
      },
    });
  };
  return databaseWithin(undefined);
}

const sqlOf = ([query, ...values]: Raw): Sql => ('raw' in query ? sql(query, ...values) : query);

/** The reads of the models, which all transactions have in common: each request has one of its own. */
const readsOf = (models: readonly string[]): object =>
  Object.create(
    null,
    Object.fromEntries(
      models.map((model) => {
        function get(this: { engine: Engine }) {
          return new Reads(this.engine, model);
        }
        return [model.charAt(0).toLowerCase() + model.slice(1), { get }];
      }),
    ),
  );

/** The reads of one model. */
class Reads {
  readonly #engine: Engine;
  readonly #model: string;

  constructor(engine: Engine, model: string) {
    this.#engine = engine;
    this.#model = model;
  }

  findMany(args: object) {
    return this.#engine.read(this.#model, 'findMany', args);
  }

  findFirst(args: object) {
    return this.#engine.read(this.#model, 'findFirst', args);
  }

  findUnique(args: object) {
    return this.#engine.read(this.#model, 'findUnique', args);
  }

  findUniqueOrThrow(args: object) {
    return this.#engine.read(this.#model, 'findUniqueOrThrow', args);
  }

  rowAt(args: { where: object }, id: Sql) {
    return this.#engine.rowAt(this.#model, args, id);
  }
}
