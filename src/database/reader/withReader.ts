import { Prisma } from '../generated/client/client.js';
import { models } from '../generated/models.js';
import { Finds } from './finds.js';
import { rawRows } from './rawQuery.js';
import { type Connection, newStatements } from './reader.js';
import { type Method, methods } from './statement.js';

type Client = Prisma.TransactionClient;
type Find = (args: object) => Promise<unknown>;

/** Where a client sends what it does not leave to Prisma. */
export interface Connections {
  connection: Connection;
  /** Opens a transaction by Prisma's own means, and tells which connection it is on. */
  begin?: <Result>(open: (connectionOf: () => Connection) => Promise<Result>) => Promise<Result>;
  statements?: ReturnType<typeof newStatements>;
}

const modelNames = new Map(Object.keys(models).map((name) => [name.charAt(0).toLowerCase() + name.slice(1), name]));

/**
 * The same client, whose reads within one company are each one prepared statement that returns JSON. Every table in it is
 * bound to that company, which is the `companyId` of the outermost `where`. All else goes to Prisma: writes, reads
 * without a company, and arguments that {@link statementOf} does not know for sure.
 */
export function withReader<Given extends Client>(client: Given, connections: Connections): Given {
  const { connection, begin, statements = newStatements() } = connections;
  const delegates = new Map<string | symbol, object>();

  function delegateOf(name: string | symbol, model: string): object {
    const delegate = Reflect.get(client, name) as Record<string, Find>;
    const finds = new Finds(connection, statements, model);
    const own = Object.fromEntries(
      methods.map((method) => [
        method,
        (args: Record<string, unknown> = {}) => {
          const ask = () => (delegate[method] as Find)(args);
          const rows = finds.find(method, args);
          return rows ? answer(method, codedAsPrisma(rows), ask) : ask();
        },
      ]),
    );
    return new Proxy(delegate, { get: (target, key) => ownOf(own, key) ?? Reflect.get(target, key) });
  }

  const overrides: Record<string, unknown> = {
    $queryRaw: (query: Prisma.Sql | TemplateStringsArray, ...values: unknown[]) => {
      const sql = 'raw' in query ? Prisma.sql(query, ...values) : query;
      return codedAsPrisma(rawRows(connection, sql));
    },
    ...(begin && {
      $transaction: (work: unknown, ...options: unknown[]) => {
        const open = Reflect.get(client, '$transaction') as (...given: unknown[]) => Promise<unknown>;
        if (typeof work !== 'function') return Reflect.apply(open, client, [work, ...options]);
        return begin((connectionOf) => {
          const within = (tx: Client) => work(withReader(tx, { connection: connectionOf(), statements }));
          return Reflect.apply(open, client, [within, ...options]);
        });
      },
    }),
  };

  return new Proxy(client, {
    get(target, name) {
      const override = ownOf(overrides, name);
      if (override) return override;
      const model = typeof name === 'string' ? modelNames.get(name) : undefined;
      if (model === undefined) return Reflect.get(target, name);
      const known = delegates.get(name) ?? delegateOf(name, model);
      delegates.set(name, known);
      return known;
    },
  });
}

/** What the method returns of the rows. If a row is missing that must be there, Prisma says so. */
async function answer(method: Method, read: Promise<unknown[]>, ask: () => Promise<unknown>): Promise<unknown> {
  const rows = await read;
  if (method === 'findMany') return rows;
  return rows[0] ?? (method === 'findUniqueOrThrow' ? ask() : null);
}

/** A failure of the database as Prisma reports that of a raw query. */
async function codedAsPrisma<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'DriverAdapterError') throw error;
    const { originalCode, originalMessage } = error.cause as { originalCode?: string; originalMessage?: string };
    const message = `Raw query failed. Code: \`${originalCode ?? 'N/A'}\`. Message: \`${originalMessage ?? error.message}\``;
    throw new Prisma.PrismaClientKnownRequestError(message, {
      code: 'P2010',
      clientVersion: Prisma.prismaVersion.client,
      meta: { driverAdapterError: error },
    });
  }
}

const ownOf = (record: object, name: string | symbol): unknown =>
  Object.hasOwn(record, name) ? Reflect.get(record, name) : undefined;
