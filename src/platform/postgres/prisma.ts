import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory, SqlQueryable, Transaction } from '@prisma/driver-adapter-utils';
import { Pool } from 'pg';
import type { Beginning, Connection } from './connections.js';
import type { Statement } from './deadline.js';
import { KeptSelection } from './values.js';

/** Where statements go: to a pool, or to the connection of a transaction, which begins no other. */
export type Target = Connection & Partial<Beginning>;

/** Who asks: what goes where, and whether each call must name its company, as those of requests must. */
export interface Asker {
  readonly target: Target;
  readonly isRequest: boolean;
}

/** Prisma's client serves all requests and databases, as each would cost 40 MB: the target goes around its calls. */
const current = new AsyncLocalStorage<Target>();

/** What {@link sendTo} was given for each of its results. */
const sent = new WeakMap<object, Promise<unknown>>();

/** What Prisma returns is sent only once it is awaited. Some of it has methods, which return more of the kind. */
export function sendTo(target: Target, made: Promise<unknown>): Promise<unknown> {
  const own = new Proxy(made, {
    get(_, name) {
      const member = Reflect.get(made, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const result: unknown = current.run(target, () => Reflect.apply(member, made, args));
        return isPrismas(result) ? sendTo(target, result) : result;
      };
    },
  });
  sent.set(own, made);
  return own;
}

/**
 * Sends what Prisma's methods have returned to a transaction, one after the other. Prisma's own `$transaction` would send
 * the lists of all requests of one tick where the first of them belongs.
 */
export async function sendAll(target: Target, asked: readonly Promise<unknown>[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const one of asked) results.push(await sendTo(target, sent.get(one) ?? one));
  return results;
}

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

function target(): Target {
  const found = current.getStore();
  if (!found) throw new Error('a call of Prisma that belongs to no database');
  return found;
}

/** For what Prisma does in several statements: a transaction, or the one that it is in. A statement that fails there undoes all of it. */
async function startTransaction(): Promise<Transaction> {
  const outer = target();
  const held = await outer.begin?.();
  const end = (text: string) => async () => {
    try {
      await held?.query({ text });
    } finally {
      held?.release();
    }
  };
  return {
    ...(await queryableOn(held ?? outer)),
    createSavepoint: nothing,
    rollbackToSavepoint: nothing,
    releaseSavepoint: nothing,
    options: { usePhantomQuery: true },
    commit: end('COMMIT'),
    rollback: end('ROLLBACK'),
  };
}

const { provider, adapterName } = new PrismaPg({});

/** Prisma's adapter for whatever connection counts when it is asked: of a request, a transaction, or another database. */
export const adapter: SqlDriverAdapterFactory = {
  provider,
  adapterName,
  connect: async () => ({
    ...(await queryableOn({ query: (statement) => target().query(statement) })),
    executeScript: nothing,
    startTransaction,
    getConnectionInfo: () => ({ supportsRelationJoins: true }),
    dispose: nothing,
  }),
};

/** The queries of Prisma's adapter, which takes only a pool, on a connection. */
async function queryableOn(connection: Pick<Connection, 'query'>): Promise<SqlQueryable> {
  const pool = Object.assign(new Pool(), { query: (statement: Statement) => connection.query(statement) });
  const own = await new PrismaPg(pool).connect();
  return {
    provider,
    adapterName,
    queryRaw: (query) => own.queryRaw(query),
    executeRaw: (query) => own.executeRaw(query),
  };
}
