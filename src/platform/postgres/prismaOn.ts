import { PrismaPg } from '@prisma/adapter-pg';
import type { IsolationLevel, SqlQueryable, Transaction } from '@prisma/driver-adapter-utils';
import { Pool } from 'pg';
import { PrismaClient } from '../../generated/client/client.js';
import type { Connection, HeldConnection, Statement } from './connections.js';

const nothing = async () => {};

/** Prisma's client, which begins transactions of its own if it can; otherwise it is in one already. */
export function prismaOn(connection: Connection, begin?: () => Promise<HeldConnection>): PrismaClient {
  const startTransaction = async (level?: IsolationLevel): Promise<Transaction> => {
    const held = await begin?.();
    if (!held) {
      const options = { usePhantomQuery: true };
      return { ...(await queryableOn(connection)), options, commit: nothing, rollback: nothing };
    }
    // Prisma has sent COMMIT or ROLLBACK: to its adapter, both mean that the connection is free.
    const free = async () => held.release();
    if (level) {
      await held.query({ text: `SET TRANSACTION ISOLATION LEVEL ${level}` }).catch((error) => {
        held.release();
        throw error;
      });
    }
    return { ...(await queryableOn(held)), options: { usePhantomQuery: false }, commit: free, rollback: free };
  };
  const connect = async () => {
    const queryable = await queryableOn(connection);
    return { ...queryable, executeScript: nothing, startTransaction, dispose: nothing };
  };
  const { provider, adapterName } = new PrismaPg({});
  return new PrismaClient({ adapter: { provider, adapterName, connect }, errorFormat: 'minimal' });
}

/** Prisma's adapter, which takes only a pool, for one connection. */
async function queryableOn(connection: Connection): Promise<SqlQueryable> {
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
