import type { SqlQueryable, Transaction } from '@prisma/driver-adapter-utils';
import { wait } from './deadline.js';
import { hasEnded } from './reader/transact.js';
import { type RequestScope, report } from './requestScope.js';

/**
 * A transaction whose statements run one after the other, within the deadline of the request. `release` gives its
 * connection back.
 */
export function limitedTransaction(
  transaction: Transaction,
  release: () => void,
  scope: RequestScope | undefined,
): Transaction {
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;
  // Resolvers ask at the same time, but a transaction has one connection, which serves others when it has ended.
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(() => {
      if (isOver) throw hasEnded();
      return work();
    });
    last = result.catch(() => {});
    return result;
  };
  // PostgreSQL undoes a transaction in which a statement failed, and answers its COMMIT as if it were done.
  let failed: { error: unknown } | undefined;
  const unlessFailed = async <Result>(sql: string, work: () => Promise<Result>): Promise<Result> => {
    if (failed && sql !== 'ROLLBACK') throw failed.error;
    try {
      return await report(scope, sql, work);
    } catch (error) {
      failed ??= { error };
      throw error;
    }
  };
  const inTime = <Result>(sql: string, work: () => Promise<Result>) =>
    wait(scope, () => inTurn(() => unlessFailed(sql, work)));
  const end = (how: () => Promise<void>) => {
    isOver = true;
    return how().finally(release);
  };
  return {
    ...adapterIdentity(transaction),
    options: transaction.options,
    queryRaw: (query) => inTime(query.sql, () => transaction.queryRaw(query)),
    executeRaw: (query) => inTime(query.sql, () => transaction.executeRaw(query)),
    commit: () => end(() => transaction.commit()),
    rollback: () => end(() => transaction.rollback()),
  };
}

/** What Prisma asks of each adapter and transaction. */
export const adapterIdentity = ({ provider, adapterName }: SqlQueryable) => ({ provider, adapterName });
