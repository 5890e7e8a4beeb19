import { Prisma } from '../generated/client/client.js';
import { models } from '../generated/models.js';
import { rawFailure, readFailure } from './failures.js';
import { Finds } from './finds.js';
import { rawRows, rawStatement } from './rawRows.js';
import { type Connection, newStatements, type Statements } from './read.js';
import { type Method, methods } from './statement.js';
import { type Begin, transact } from './transact.js';

type Client = Prisma.TransactionClient;
type Args = Record<string, unknown>;
type Delegate = Record<string, (args: Args) => Promise<unknown>>;

/** Where a client sends what it does not leave to Prisma. */
export interface ReaderConnections {
  connection: Connection;
  begin?: Begin;
  /** Prisma closes the connections only if it has used them itself. */
  close?: () => Promise<void>;
  statements?: Statements;
}

const modelNames = new Map<string | symbol, string>(
  Object.keys(models).map((name) => [name.charAt(0).toLowerCase() + name.slice(1), name]),
);

/**
 * The same client, whose reads within one company are each one prepared statement that returns JSON. Every table in it is
 * bound to that company, which is the `companyId` of the outermost `where`. All else goes to Prisma: writes, reads
 * without a company, and arguments that {@link statementOf} does not know for sure.
 */
export function withReader<Given extends Client>(client: Given, connections: ReaderConnections): Given {
  const { connection, begin, close, statements = newStatements() } = connections;
  const own = new Map<string | symbol, unknown>([
    ['$queryRaw', rawQuery(connection)],
    ['$executeRaw', rawExecution(connection)],
  ]);
  if (begin) own.set('$transaction', transaction(client, begin, statements));
  if (close) own.set('$disconnect', disconnect(client, close));
  return new Proxy(client, {
    get(target, name) {
      const model = modelNames.get(name);
      if (model !== undefined && !own.has(name)) {
        const delegate = () => Reflect.get(target, name) as Delegate;
        own.set(name, readingDelegate(delegate, new Finds(connection, statements, model)));
      }
      return own.get(name) ?? Reflect.get(target, name);
    },
  });
}

function readingDelegate(delegate: () => Delegate, finds: Finds): Delegate {
  const reading =
    (method: Method) =>
    (args: Args = {}) => {
      const ask = () => (delegate()[method] as Delegate[string])(args);
      const rows = finds.find(method, args);
      return rows ? answer(method, readFailure(rows), ask) : ask();
    };
  const own = new Map<string | symbol, unknown>(methods.map((method) => [method, reading(method)]));
  return new Proxy({} as Delegate, { get: (_, name) => own.get(name) ?? Reflect.get(delegate(), name) });
}

type RawArguments = [query: Prisma.Sql | TemplateStringsArray, ...values: unknown[]];

const sqlOf = ([query, ...values]: RawArguments) => ('raw' in query ? Prisma.sql(query, ...values) : query);

const rawQuery =
  (connection: Connection) =>
  (...given: RawArguments) =>
    rawFailure(rawRows(connection, sqlOf(given)));

const rawExecution =
  (connection: Connection) =>
  (...given: RawArguments) =>
    rawFailure(connection.executeRaw(rawStatement(sqlOf(given))));

/** As Prisma's: a list of calls, or work in a transaction, for up to five seconds unless it may take longer. */
function transaction(client: Client, begin: Begin, statements: Statements) {
  const list = Reflect.get(client, '$transaction') as (calls: unknown) => Promise<unknown>;
  return (work: unknown, { timeout = 5_000 } = {}) =>
    typeof work === 'function'
      ? transact(begin, timeout, (connection, prisma) => work(withReader(prisma, { connection, statements })))
      : Reflect.apply(list, client, [work]);
}

const disconnect = (client: Client, close: () => Promise<void>) => async () => {
  await Reflect.apply(Reflect.get(client, '$disconnect'), client, []);
  await close();
};

/** What the method returns of the rows. If a row is missing that must be there, Prisma says so. */
async function answer(method: Method, read: Promise<unknown[]>, ask: () => Promise<unknown>): Promise<unknown> {
  const rows = await read;
  if (method === 'findMany') return rows;
  return rows[0] ?? (method === 'findUniqueOrThrow' ? ask() : null);
}
