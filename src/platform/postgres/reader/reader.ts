import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Prisma, PrismaClient } from '../../../generated/client/client.js';
import { models } from '../../../generated/models.js';
import { type Connection, type HeldConnection, hasEnded, retryConflicts, type Statement } from '../connections.js';
import type { RequestScope } from '../deadline.js';
import { prismaOn } from '../prismaOn.js';
import { type Sql, sql } from '../values.js';
import { type Call, callOf, KeptSelection, type Shape, Unsupported, wholeShape } from './shape.js';
import { type Method, type ReadStatement, statementOf } from './statement.js';

/** A row as a JSON value in SQL, and how that becomes what Prisma returns. */
export interface RowInSql {
  sql: Sql;
  make: (json: unknown) => unknown;
}

/** What stands for the id until it is known as SQL. */
const idOfRow = randomUUID();

/** The row with an id that another part of the statement finds, if it meets the filter; undefined if it is left to Prisma. */
function rowAt(statements: Statements, model: string, args: { where: object }, id: Sql): RowInSql | undefined {
  const read = readOf(statements, model, 'findMany', { ...args, where: { ...args.where, id: idOfRow } });
  if (!read) return undefined;
  const { texts, positions } = partsOf(read.statement);
  const values = positions.map((position) => (read.values[position] === idOfRow ? id : read.values[position]));
  return { sql: sql(texts, ...values), make: read.statement.make };
}

/** The text between the placeholders of a statement, and what value each of them stands for. */
function partsOf(statement: ReadStatement): NonNullable<ReadStatement['parts']> {
  statement.parts ??= {
    texts: statement.sql.split(/\$\d+/),
    positions: [...statement.sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number) - 1),
  };
  return statement.parts;
}

/** What is known of a shape: its statement, or null if it is left to Prisma. */
export interface Known {
  statement: ReadStatement | null;
}

/** What is known of each shape of a call. */
type Statements = LRUCache<string, Known>;

/** Clients choose what is selected. */
const mostStatements = 2_000;
const mostCharacters = 16_000_000;

/** The statements of one client. */
export const newStatements = (): Statements =>
  new LRUCache({
    max: mostStatements,
    maxSize: mostCharacters,
    sizeCalculation: ({ statement }, shape) => shape.length + (statement?.sql.length ?? 1),
  });

/** A call that the reader executes. */
interface Read {
  statement: ReadStatement;
  values: unknown[];
}

/** How a call is read; undefined if it is left to Prisma. */
export function readOf(statements: Statements, model: string, method: Method, args: object): Read | undefined {
  const call = supported(() => callOf(args));
  if (!call) return undefined;
  const { kept, shape, values: given } = call;
  const key = `${model} ${method} ${shape}`;
  const known = kept?.statements.get(key) ?? ofWholeShape(statements, model, method, call);
  kept?.statements.set(key, known);
  const { statement } = known;
  const isValid = statement?.enums.every(([position, values]) => isOneOf(values, given[position]));
  return statement && isValid ? { statement, values: given } : undefined;
}

function ofWholeShape(statements: Statements, model: string, method: Method, call: Call): Known {
  const shape = wholeShape(call);
  const key = `${model} ${method} ${shape}`;
  const known = statements.get(key) ?? { statement: compile(model, method, shape) };
  statements.set(key, known);
  return known;
}

const compile = (model: string, method: Method, shape: string): ReadStatement | null =>
  supported(() => statementOf(models, model, method, JSON.parse(shape) as Shape)) ?? null;

/** The rows, as Prisma would return them. */
async function readRows(connection: Connection, { statement, values }: Read): Promise<unknown[]> {
  const { rows } = await connection.query({ text: statement.sql, values, rowMode: 'array' });
  return (rows as [json: unknown][]).map(([json]) => statement.make(json));
}

const isOneOf = (allowed: readonly string[], value: unknown): boolean =>
  Array.isArray(value) ? value.every((item) => isOneOf(allowed, item)) : allowed.includes(String(value));

function supported<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

/** Where reads are answered; `prisma` answers those that the reader does not know for sure. */
interface Answerer {
  connection: Connection;
  statements: Statements;
  prisma: () => PrismaClient;
}

/**
 * Reads of one model. Those within one company are each one prepared statement that returns JSON. Every table in it is
 * bound to that company, which is the `companyId` of the outermost `where`.
 */
class Loaders {
  readonly #answerer: Answerer;
  readonly #model: string;

  constructor(answerer: Answerer, model: string) {
    this.#answerer = answerer;
    this.#model = model;
  }

  async findMany(args: object): Promise<unknown> {
    return this.#rows('findMany', args) ?? this.#ask('findMany', args);
  }

  findFirst(args: object): Promise<unknown> {
    return this.#row('findFirst', args);
  }

  findUnique(args: object): Promise<unknown> {
    return this.#row('findUnique', args);
  }

  async findUniqueOrThrow(args: object): Promise<unknown> {
    // If there is no row, Prisma says so.
    return (await this.#row('findUniqueOrThrow', args)) ?? this.#ask('findUniqueOrThrow', args);
  }

  /** The row with an id that another part of a statement finds; undefined if it is left to Prisma. */
  rowAt(args: { where: object }, id: Sql): RowInSql | undefined {
    return rowAt(this.#answerer.statements, this.#model, args, id);
  }

  async #row(method: Method, args: object): Promise<unknown> {
    const rows = this.#rows(method, args);
    return rows ? ((await rows)[0] ?? null) : this.#ask(method, args);
  }

  #rows(method: Method, args: object): Promise<unknown[]> | undefined {
    const { connection, statements } = this.#answerer;
    const read = readOf(statements, this.#model, method, args);
    return read && readRows(connection, read);
  }

  #ask(method: Method, args: object): Promise<unknown> {
    const plain = Object.entries(args).map(([name, part]) => [
      name,
      part instanceof KeptSelection ? part.plain() : part,
    ]);
    return Reflect.get(this.#answerer.prisma(), delegateName(this.#model))[method](Object.fromEntries(plain));
  }
}

/** `Goal` is `client.goal`. */
const delegateName = (model: string) => model.charAt(0).toLowerCase() + model.slice(1);

/** Takes the arguments of Prisma's method, and returns what that would. */
type Find<Delegate, Name extends Method> = <Given extends Prisma.Args<Delegate, Name>>(
  args: Prisma.Exact<Given, Prisma.Args<Delegate, Name>>,
) => Promise<Prisma.Result<Delegate, Given, Name>>;

type FindsOf<Delegate> = { readonly [Name in Method]: Find<Delegate, Name> } & Pick<Loaders, 'rowAt'>;

/** A template with values, or SQL that was made of one. */
type Raw = [query: Sql | TemplateStringsArray, ...values: unknown[]];

/** What can be asked in a transaction, or of the database itself, where each statement is a transaction of its own. */
export type Transaction = { readonly [Name in Uncapitalize<Prisma.ModelName>]: FindsOf<PrismaClient[Name]> } & {
  $queryRaw<Rows = unknown>(...raw: Raw): Promise<Rows>;
  /** Returns how many rows it has written. */
  $executeRaw(...raw: Raw): Promise<number>;
  /** Prisma's own client, for all else. Its first use costs 30 MB and 0.1 s of processor time. */
  readonly prisma: PrismaClient;
};

export type Database = Transaction & {
  /** The same database for one request. */
  within(scope: RequestScope | undefined): Database;
  /**
   * Committed when the work has succeeded; undone if it throws, or takes longer than that many milliseconds (5,000). The
   * work is done again if the transaction loses to another.
   */
  $transaction<Result>(work: (tx: Transaction) => Promise<Result>, limits?: { timeout: number }): Promise<Result>;
  $disconnect(): Promise<void>;
  connectionUse(): ConnectionUse;
};

/** How a client uses its connections right now. */
export interface ConnectionUse {
  open: number;
  idle: number;
  /** How many statements and transactions wait for a connection. */
  waiting: number;
}

/** Where the statements go. */
export interface PoolConnections {
  within: (scope: RequestScope | undefined) => Connection & Beginning;
  close: () => Promise<void>;
  connectionUse: () => ConnectionUse;
}

/** What belongs to no request may take its time. Prisma, for what is left to it, never knows the request. */
export function databaseOn({ within, close, connectionUse }: PoolConnections): Database {
  const statements = newStatements();
  const all = within(undefined);
  let opened: PrismaClient | undefined;
  const prisma = () => {
    opened ??= prismaOn(all, () => all.begin());
    return opened;
  };
  const databaseWithin = (scope: RequestScope | undefined): Database => {
    const connection = within(scope);
    return Object.assign(transactionOn(connection, prisma, statements), {
      within: databaseWithin,
      $transaction: <Result>(work: (tx: Transaction) => Promise<Result>, { timeout } = { timeout: 5_000 }) =>
        retryConflicts(
          () => transact(connection, timeout, (held, prismaOnIt) => work(transactionOn(held, prismaOnIt, statements))),
          scope,
        ),
      connectionUse,
      $disconnect: async () => {
        await opened?.$disconnect();
        await close();
      },
    });
  };
  return databaseWithin(undefined);
}

/** `prisma` is called only for what the reader leaves to Prisma. */
export function transactionOn(
  connection: Connection,
  prisma: () => PrismaClient,
  statements: Statements = newStatements(),
): Transaction {
  return Object.assign(Object.create(delegates), {
    answerer: { connection, statements, prisma },
    $queryRaw: async (...raw: Raw) => (await connection.query(rawStatement(raw))).rows,
    $executeRaw: async (...raw: Raw) => (await connection.query(rawStatement(raw))).rowCount ?? 0,
  });
}

/** What all have in common: each request has a database of its own. */
const delegates = Object.create(null, {
  prisma: {
    get(this: { answerer: Answerer }) {
      return this.answerer.prisma();
    },
  },
});
for (const model of Object.keys(models)) {
  Object.defineProperty(delegates, delegateName(model), {
    get(this: { answerer: Answerer }) {
      return new Loaders(this.answerer, model);
    },
  });
}

function rawStatement([query, ...given]: Raw): Statement {
  const { text, values } = 'raw' in query ? sql(query, ...given) : query;
  // The driver would write a time in the zone of this process.
  return { text, values: values.map((value) => (value instanceof Date ? value.toISOString() : value)) };
}

/** Where transactions begin, each on a connection of its own. */
interface Beginning {
  begin(): Promise<HeldConnection>;
}

/**
 * Runs the work in a transaction: committed when it has succeeded, undone if it throws or takes longer than that.
 * `prisma` is for what the reader leaves to Prisma, and starts Prisma only then. Prisma's own transactions always do,
 * which costs 30 MB, and a restore with a key a sixth of its processor time.
 */
export async function transact<Result>(
  connections: Beginning,
  milliseconds: number,
  work: (connection: Connection, prisma: () => PrismaClient) => Promise<Result>,
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
  const connection: Connection = {
    query: async (statement) => {
      if (ended) throw hasEnded();
      return held.query(statement);
    },
  };
  let prisma: PrismaClient | undefined;
  const open = () => {
    prisma ??= prismaOn(connection);
    return prisma;
  };
  const expiry = setTimeout(() => void end('ROLLBACK').catch(() => {}), milliseconds);
  try {
    const result = await work(connection, open);
    if (ended) throw hasEnded();
    await end('COMMIT');
    return result;
  } catch (error) {
    await end('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    clearTimeout(expiry);
    await prisma?.$disconnect();
  }
}
