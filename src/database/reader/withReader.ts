import { Prisma } from '../generated/client/client.js';
import { models } from '../generated/models.js';
import { rawFailure, readFailure } from './failures.js';
import { Finds } from './finds.js';
import { rawRows } from './rawRows.js';
import { type Connection, newStatements, type Statements } from './read.js';
import { type Method, methods } from './statement.js';

type Client = Prisma.TransactionClient;
type Args = Record<string, unknown>;
type Delegate = Record<string, (args: Args) => Promise<unknown>>;

/** Opens a transaction by Prisma's own means, and tells which connection it is on. */
export type Begin = <Result>(open: (connectionOf: () => Connection) => Promise<Result>) => Promise<Result>;

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
  const own = new Map<string | symbol, unknown>([['$queryRaw', rawQuery(connection)]]);
  if (begin) own.set('$transaction', transaction(client, begin, statements));
  if (close) own.set('$disconnect', disconnect(client, close));
  return new Proxy(client, {
    get(target, name) {
      const model = modelNames.get(name);
      if (model !== undefined && !own.has(name)) {
        own.set(name, readingDelegate(Reflect.get(target, name) as Delegate, new Finds(connection, statements, model)));
      }
      return own.get(name) ?? Reflect.get(target, name);
    },
  });
}

function readingDelegate(delegate: Delegate, finds: Finds): Delegate {
  const reading =
    (method: Method) =>
    (args: Args = {}) => {
      const ask = () => (delegate[method] as Delegate[string])(args);
      const rows = finds.find(method, args);
      return rows ? answer(method, readFailure(rows), ask) : ask();
    };
  const own = new Map<string | symbol, unknown>(methods.map((method) => [method, reading(method)]));
  return new Proxy(delegate, { get: (target, name) => own.get(name) ?? Reflect.get(target, name) });
}

const rawQuery =
  (connection: Connection) =>
  (query: Prisma.Sql | TemplateStringsArray, ...values: unknown[]) =>
    rawFailure(rawRows(connection, 'raw' in query ? Prisma.sql(query, ...values) : query));

function transaction(client: Client, begin: Begin, statements: Statements) {
  const open = Reflect.get(client, '$transaction') as (...given: unknown[]) => Promise<unknown>;
  return (work: unknown, ...options: unknown[]) => {
    if (typeof work !== 'function') return Reflect.apply(open, client, [work, ...options]);
    return begin((connectionOf) => {
      const within = (tx: Client) => work(withReader(tx, { connection: connectionOf(), statements }));
      return Reflect.apply(open, client, [within, ...options]);
    });
  };
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
