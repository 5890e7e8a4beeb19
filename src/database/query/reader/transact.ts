import type { SqlDriverAdapter, Transaction } from '@prisma/driver-adapter-utils';
import { PrismaClient } from '../../generated/client/client.js';
import { told } from './failure.js';
import type { Connection } from './read.js';

/** Where transactions begin, each on a connection of its own. */
export type Beginning = Pick<SqlDriverAdapter, 'startTransaction'>;

/**
 * Runs the work in a transaction: committed when it has succeeded, undone if it throws or takes longer than that.
 * `prisma` is for what the reader leaves to Prisma, and starts Prisma only then. Prisma's own transactions always do,
 * which costs 30 MB, and a restore with a key a sixth of its processor time.
 */
export async function transact<Result>(
  connections: Beginning,
  milliseconds: number,
  work: (connection: Connection, prisma: () => PrismaClient) => Promise<Result>,
): Promise<Result> {
  const transaction = await told(connections.startTransaction());
  let ended: Promise<void> | undefined;
  const end = (statement: 'COMMIT' | 'ROLLBACK') => {
    // To Prisma's adapter, both mean that the connection is free.
    ended ??= told(transaction.executeRaw({ sql: statement, args: [], argTypes: [] }))
      .then(() => {})
      .finally(() => transaction.commit());
    return ended;
  };
  const whileOpen = async <T>(send: () => Promise<T>): Promise<T> => {
    if (ended) throw hasEnded();
    return send();
  };
  const connection: Connection = {
    queryRaw: (query) => whileOpen(() => transaction.queryRaw(query)),
    executeRaw: (query) => whileOpen(() => transaction.executeRaw(query)),
  };
  const prisma = prismaOn(transaction, connection);
  const expiry = setTimeout(() => void end('ROLLBACK').catch(() => {}), milliseconds);
  try {
    const result = await work(connection, prisma.open);
    if (ended) throw hasEnded();
    await end('COMMIT');
    return result;
  } catch (error) {
    await end('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    clearTimeout(expiry);
    await prisma.close();
  }
}

/** What a statement gets that comes after the end of its transaction. */
export const hasEnded = () => Object.assign(new Error('the transaction has ended'), { code: 'P2028' });

/** Prisma's client on a connection, in the transaction that is open there. */
function prismaOn({ provider, adapterName }: Transaction, connection: Connection) {
  const queryable = { provider, adapterName, ...connection };
  const nothing = async () => {};
  const nested: Transaction = {
    ...queryable,
    options: { usePhantomQuery: true },
    commit: nothing,
    rollback: nothing,
  };
  const adapter: SqlDriverAdapter = {
    ...queryable,
    executeScript: nothing,
    startTransaction: async () => nested,
    dispose: nothing,
  };
  let opened: PrismaClient | undefined;
  const open = () => {
    opened ??= new PrismaClient({
      adapter: { provider, adapterName, connect: async () => adapter },
      errorFormat: 'minimal',
    });
    return opened;
  };
  return { open, close: async () => opened?.$disconnect() };
}
