import { Prisma, type PrismaClient } from '../../generated/client/client.js';
import { models } from '../../generated/models.js';
import { retryConflicts } from '../conflicts.js';
import type { Connection, Statement } from '../connection.js';
import { prismaOn } from '../prismaOn.js';
import type { RequestScope } from '../requestScope.js';
import { type Answerer, delegateName, Finds } from './finds.js';
import { newStatements, type Statements } from './read.js';
import type { Method } from './statement.js';
import { type Beginning, transact } from './transact.js';

/** Takes the arguments of Prisma's method, and returns what that would. */
type Find<Delegate, Name extends Method> = <Given extends Prisma.Args<Delegate, Name>>(
  args: Prisma.Exact<Given, Prisma.Args<Delegate, Name>>,
) => Promise<Prisma.Result<Delegate, Given, Name>>;

type FindsOf<Delegate> = { readonly [Name in Method]: Find<Delegate, Name> } & Pick<Finds, 'rowAt'>;

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
    $queryRaw: async (...raw: Raw) => (await connection.query(statementOf(raw))).rows,
    $executeRaw: async (...raw: Raw) => (await connection.query(statementOf(raw))).rowCount ?? 0,
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
      return new Finds(this.answerer, model);
    },
  });
}

function statementOf([query, ...given]: Raw): Statement {
  const { text, values } = 'raw' in query ? Prisma.sql(query, ...given) : query;
  // The driver would write a time in the zone of this process.
  return { text, values: values.map((value) => (value instanceof Date ? value.toISOString() : value)) };
}
