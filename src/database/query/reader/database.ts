import { Prisma, type PrismaClient } from '../../generated/client/client.js';
import { models } from '../../generated/models.js';
import { told } from './failure.js';
import { delegateName, Finds } from './finds.js';
import { rawRows, rawStatement } from './rawRows.js';
import { type Connection, newStatements, type Statements } from './read.js';
import type { Method } from './statement.js';
import { type Begin, transact } from './transact.js';

/** Takes the arguments of Prisma's method, and returns what that would. */
type Find<Delegate, Name extends Method> = <Given extends Prisma.Args<Delegate, Name>>(
  args: Prisma.Exact<Given, Prisma.Args<Delegate, Name>>,
) => Promise<Prisma.Result<Delegate, Given, Name>>;

type FindsOf<Delegate> = { readonly [Name in Method]: Find<Delegate, Name> };

/** A template with values, or SQL that was made of one. */
type Raw = [query: Prisma.Sql | TemplateStringsArray, ...values: unknown[]];

/** What can be asked in a transaction, or of the database itself, where each statement is a transaction of its own. */
export type Transaction = { readonly [Name in Uncapitalize<Prisma.ModelName>]: FindsOf<PrismaClient[Name]> } & {
  $queryRaw<Rows = unknown>(...raw: Raw): Promise<Rows>;
  /** Returns how many rows it has written. */
  $executeRaw(...raw: Raw): Promise<number>;
  /** Prisma's own client, for all else. Its first use costs 30 MB and 0.1 s of processor time. */
  readonly prisma: PrismaClient;
};

export type Database = Transaction & {
  /** Committed when the work has succeeded; undone if it throws, or takes longer than that many milliseconds (5,000). */
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
  connection: Connection;
  begin: Begin;
  close: () => Promise<void>;
  connectionUse: () => ConnectionUse;
}

export function databaseOn(
  prisma: PrismaClient,
  { connection, begin, close, connectionUse }: PoolConnections,
): Database {
  const statements = newStatements();
  return Object.assign(
    transactionOn(connection, () => prisma, statements),
    {
      $transaction: <Result>(work: (tx: Transaction) => Promise<Result>, { timeout } = { timeout: 5_000 }) =>
        transact(begin, timeout, (held, prismaOnIt) => work(transactionOn(held, prismaOnIt, statements))),
      connectionUse,
      $disconnect: async () => {
        await prisma.$disconnect();
        // Prisma closes the connections only if it has used them itself.
        await close();
      },
    },
  );
}

/** `prisma` is called only for what the reader leaves to Prisma. */
export function transactionOn(
  connection: Connection,
  prisma: () => PrismaClient,
  statements: Statements = newStatements(),
): Transaction {
  const answerer = { connection, statements, prisma };
  const finds = delegates.map(([name, model]) => [name, new Finds(answerer, model)]);
  return {
    ...Object.fromEntries(finds),
    $queryRaw: (...raw: Raw) => told(rawRows(connection, sqlOf(raw))),
    $executeRaw: (...raw: Raw) => told(connection.executeRaw(rawStatement(sqlOf(raw)))),
    get prisma() {
      return prisma();
    },
  };
}

const delegates = Object.keys(models).map((model) => [delegateName(model), model] as const);

const sqlOf = ([query, ...values]: Raw) => ('raw' in query ? Prisma.sql(query, ...values) : query);
