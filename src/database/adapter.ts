import { PrismaPg } from '@prisma/adapter-pg';
import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQueryable,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { retryConflicts } from './conflicts.js';
import { wait } from './patience.js';
import type { OpenPool } from './pool.js';

type Options = ConstructorParameters<typeof PrismaPg>[1];

/**
 * Prisma's adapter for the pool. It waits for the database no longer than the request may, and repeats a statement that
 * is a transaction of its own when it loses to another. A statement in a transaction is not repeated: the failure has
 * undone those before it.
 */
export function adapterOf({ pool, close }: OpenPool, options: Options): SqlDriverAdapterFactory {
  const factory = new PrismaPg(pool, options);
  const { provider, adapterName } = factory;
  return { provider, adapterName, connect: async () => patientAdapter(await factory.connect(), close) };
}

function patientAdapter(adapter: SqlDriverAdapter, close: () => Promise<void>): SqlDriverAdapter {
  return {
    ...identity(adapter),
    queryRaw: (query) => retryConflicts(() => wait(() => adapter.queryRaw(query))),
    executeRaw: (query) => retryConflicts(() => wait(() => adapter.executeRaw(query))),
    executeScript: (script) => adapter.executeScript(script),
    startTransaction: async (level) =>
      patientTransaction(
        await wait(
          () => adapter.startTransaction(level),
          (late) => void late.rollback(),
        ),
      ),
    getConnectionInfo: () => adapter.getConnectionInfo?.() ?? { supportsRelationJoins: true },
    dispose: close,
  };
}

function patientTransaction(transaction: Transaction): Transaction {
  const execute = (sql: string) => wait(() => transaction.executeRaw({ sql, args: [], argTypes: [] })).then(() => {});
  return {
    ...identity(transaction),
    options: transaction.options,
    queryRaw: (query) => wait(() => transaction.queryRaw(query)),
    executeRaw: (query) => wait(() => transaction.executeRaw(query)),
    commit: () => transaction.commit(),
    rollback: () => transaction.rollback(),
    createSavepoint: (name) => execute(`SAVEPOINT ${name}`),
    rollbackToSavepoint: (name) => execute(`ROLLBACK TO SAVEPOINT ${name}`),
    releaseSavepoint: (name) => execute(`RELEASE SAVEPOINT ${name}`),
  };
}

const identity = ({ provider, adapterName }: SqlQueryable) => ({ provider, adapterName });
