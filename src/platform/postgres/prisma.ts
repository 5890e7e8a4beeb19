import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import type {
  IsolationLevel,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQueryable,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { Pool } from 'pg';
import type { Beginning, Connection, Statement } from './connections.js';
import { type Engine, KeptSelection, type Method, type PoolEngine } from './engine.js';
import type { Sql } from './values.js';

/** Makes a generated client of Prisma with the adapter. */
export type MakePrisma<Prisma> = (adapter: SqlDriverAdapterFactory) => Prisma;

/** What every generated client has. */
interface Client {
  $queryRaw(query: Sql): Promise<unknown[]>;
  $executeRaw(query: Sql): Promise<number>;
  $transaction<Result>(
    work: (tx: Client) => Promise<Result>,
    limits: { timeout: number; maxWait: number },
  ): Promise<Result>;
  $disconnect(): Promise<void>;
}

type PoolConnection = Connection & Beginning;

interface StartedPrisma<Prisma> {
  client: Prisma;
  /** Executes everything by Prisma, on this connection of the pool. */
  engineOn(connection: PoolConnection): PoolEngine;
  close(): Promise<void>;
}

/** The deadline of the request decides how long a transaction waits to begin. */
const maxWait = 2 ** 31 - 1;

/** Starts Prisma's client on a pool. Without a connection of a request, it sends to `pool`. */
export function startPrisma<Prisma>(make: MakePrisma<Prisma>, pool: PoolConnection): StartedPrisma<Prisma> {
  // There is one client for all requests, as each would cost 30 MB: the connection goes around it.
  const current = new AsyncLocalStorage<PoolConnection>();
  const made = make(adapterOn(() => current.getStore() ?? pool));
  const client = made as unknown as Client;
  return {
    client: made,
    close: () => client.$disconnect(),
    engineOn: (connection) => {
      // What Prisma returns is sent only once it is awaited.
      const run: Run = (work) => current.run(connection, async () => work());
      return Object.assign(new PrismaEngine(client, run), {
        transact: <Result>(timeout: number, work: (engine: Engine) => Promise<Result>) =>
          run(() => client.$transaction((tx) => work(new PrismaEngine(tx, direct)), { timeout, maxWait })),
      });
    },
  };
}

type Run = <Result>(work: () => Promise<Result>) => Promise<Result>;

const direct: Run = async (work) => work();

/** In place of look-ups by a unique key: Prisma would put two that come at the same time, of two companies, into one statement. */
const methods = {
  findMany: 'findMany',
  findFirst: 'findFirst',
  findUnique: 'findFirst',
  findUniqueOrThrow: 'findFirstOrThrow',
} as const;

class PrismaEngine implements Engine {
  readonly #client: Client;
  readonly #run: Run;

  constructor(client: Client, run: Run) {
    this.#client = client;
    this.#run = run;
  }

  read(model: string, method: Method, args: object): Promise<unknown> {
    const find = Reflect.get(this.#client, model.charAt(0).toLowerCase() + model.slice(1));
    return this.#run(() => find[methods[method]](plainArguments(`${model}.${method}`, args)));
  }

  rowAt(): undefined {
    return undefined;
  }

  queryRaw(query: Sql): Promise<unknown[]> {
    return this.#run(() => this.#client.$queryRaw(query));
  }

  async queryRawThen<Result>(
    query: Sql,
    read: (engine: Engine) => Promise<Result>,
  ): Promise<[rows: unknown[], Result]> {
    return [await this.queryRaw(query), await read(this)];
  }

  executeRaw(query: Sql): Promise<number> {
    return this.#run(() => this.#client.$executeRaw(query));
  }
}

/** The arguments with the company beside the other conditions, and with what was kept of a selection as Prisma reads it. */
function plainArguments(call: string, args: { where?: object }): object {
  const where = Object.fromEntries(
    Object.entries(args.where ?? {}).flatMap(([name, part]) =>
      name.includes('_') ? Object.entries(part as object) : [[name, part]],
    ),
  );
  if (typeof where.companyId !== 'string') throw new Error(`${call} does not name the company`);
  const parts = Object.entries(args).map(([name, part]) => [name, part instanceof KeptSelection ? part.plain() : part]);
  return { ...Object.fromEntries(parts), where };
}

const nothing = async () => {};

/** Prisma's adapter for the connection that counts when it is asked. */
function adapterOn(connection: () => PoolConnection): SqlDriverAdapterFactory {
  const startTransaction = async (level?: IsolationLevel): Promise<Transaction> => {
    const held = await connection().begin();
    // Prisma has sent COMMIT or ROLLBACK: to its adapter, both mean that the connection is free.
    const free = async () => held.release();
    if (level) {
      await held.query({ text: `SET TRANSACTION ISOLATION LEVEL ${level}` }).catch((error) => {
        held.release();
        throw error;
      });
    }
    return {
      ...(await queryableOn(held)),
      options: { usePhantomQuery: false },
      commit: free,
      rollback: free,
      createSavepoint: nothing,
      rollbackToSavepoint: nothing,
      releaseSavepoint: nothing,
    };
  };
  const connect = async (): Promise<SqlDriverAdapter> => ({
    ...(await queryableOn({ query: (statement) => connection().query(statement) })),
    executeScript: nothing,
    startTransaction,
    getConnectionInfo: () => ({ supportsRelationJoins: true }),
    dispose: nothing,
  });
  const { provider, adapterName } = new PrismaPg({});
  return { provider, adapterName, connect };
}

/** The queries of Prisma's adapter, which takes only a pool, on a connection. */
async function queryableOn(connection: Pick<Connection, 'query'>): Promise<SqlQueryable> {
  const pool = Object.assign(new Pool(), { query: (statement: Statement) => connection.query(statement) });
  const adapter = await new PrismaPg(pool).connect();
  const { provider, adapterName } = adapter;
  return {
    provider,
    adapterName,
    queryRaw: (query) => adapter.queryRaw(query),
    executeRaw: (query) => adapter.executeRaw(query),
  };
}
