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
import { KeptSelection } from './values.js';

/** Where statements go: to a pool, or to the connection of a transaction, which begins no other. */
export type Target = Connection & Partial<Beginning>;

/** Who asks: what goes where, and whether each call must name its company, as those of requests must. */
export interface Asker {
  readonly target: Target;
  readonly isRequest: boolean;
}

/** Prisma's client serves all requests, as each client would cost 20 MB: the target goes around its calls. */
const current = new AsyncLocalStorage<Target>();

/** What Prisma sends while it does this work goes to the target. */
export const runOn = <Result>(target: Target, work: () => Result): Result => current.run(target, work);

/** What Prisma returns is sent only once it is awaited. Some of it has methods, which return more of the kind. */
export const sendTo = (target: Target, made: Promise<unknown>): Promise<unknown> =>
  new Proxy(made, {
    get(_, name) {
      const own = Reflect.get(made, name);
      if (typeof own !== 'function') return own;
      return (...args: unknown[]) => {
        const result: unknown = runOn(target, () => Reflect.apply(own, made, args));
        return isPrismas(result) ? sendTo(target, result) : result;
      };
    },
  });

const isPrismas = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && Reflect.get(value, Symbol.toStringTag) === 'PrismaPromise';

/** In place of look-ups by a unique key: Prisma would put two that come at the same time, of two companies, into one statement. */
const lookUps: Record<string, string> = { findUnique: 'findFirst', findUniqueOrThrow: 'findFirstOrThrow' };

/** Calls Prisma's own method of a model. */
export function callPrisma(
  { target, isRequest }: Asker,
  [name, delegate]: [model: string, delegate: object],
  method: string,
  given: Arguments | undefined,
): Promise<unknown> {
  const args = given && plain(given);
  if (isRequest && !namesCompany(method, args)) {
    return Promise.reject(new Error(`${name}.${method} does not name the company`));
  }
  if (!(method in lookUps)) return sendTo(target, Reflect.get(delegate, method)(args));
  const where = args?.where && Object.fromEntries(Object.entries(args.where).flatMap(withoutKey));
  return sendTo(target, Reflect.get(delegate, lookUps[method] ?? '')({ ...args, where }));
}

interface Arguments {
  where?: object;
  data?: object;
  create?: object;
}

/** The arguments with what was kept of a selection as Prisma reads it. */
const plain = (args: Arguments): Arguments =>
  Object.fromEntries(
    Object.entries(args).map(([name, part]) => [name, part instanceof KeptSelection ? part.plain() : part]),
  );

/** The fields of a key that has several, which Prisma names together. */
const withoutKey = ([name, part]: [string, unknown]): [string, unknown][] =>
  name.includes('_') && typeof part === 'object' && part !== null ? Object.entries(part) : [[name, part]];

/** Whether a call names the company of all that it reads or writes. */
const namesCompany = (method: string, { where, data, create }: Arguments = {}): boolean =>
  (method.startsWith('create') ? [data].flat() : [where, create ?? where]).every((part) =>
    Object.entries(part ?? {})
      .flatMap(withoutKey)
      .some(([name, value]) => name === 'companyId' && typeof value === 'string'),
  );

const nothing = async () => {};

/** Prisma's adapter for whatever connection counts when it is asked: without one of a request, `pool`. */
export function adapterOn(pool: Connection & Beginning): SqlDriverAdapterFactory {
  const target = (): Target => current.getStore() ?? pool;
  let savepoints = 0;
  const startTransaction = async (level?: IsolationLevel): Promise<Transaction> => {
    const outer = target();
    // Within a transaction, what Prisma does in several statements is one part of it.
    if (!outer.begin) {
      savepoints += 1;
      const name = `prisma_${savepoints}`;
      const end = (text: string) => async () => void (await outer.query({ text }));
      await end(`SAVEPOINT ${name}`)();
      return {
        ...(await queryableOn(outer)),
        ...noSavepoints,
        options: { usePhantomQuery: true },
        commit: end(`RELEASE SAVEPOINT ${name}`),
        rollback: end(`ROLLBACK TO SAVEPOINT ${name}`),
      };
    }
    const held = await outer.begin();
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
      ...noSavepoints,
      options: { usePhantomQuery: false },
      commit: free,
      rollback: free,
    };
  };
  const connect = async (): Promise<SqlDriverAdapter> => ({
    ...(await queryableOn({ query: (statement) => target().query(statement) })),
    executeScript: nothing,
    startTransaction,
    getConnectionInfo: () => ({ supportsRelationJoins: true }),
    dispose: nothing,
  });
  const { provider, adapterName } = new PrismaPg({});
  return { provider, adapterName, connect };
}

const noSavepoints = { createSavepoint: nothing, rollbackToSavepoint: nothing, releaseSavepoint: nothing };

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
