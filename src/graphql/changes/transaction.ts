import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Database, Transaction } from '../../database/query/client.js';
import { catalogue, type ErrorCode } from '../../errors/catalogue.js';

const limits = { timeout: 30_000 };

/** Executes the operation in a transaction instead of letting each statement commit by itself. */
export type ExecuteIn = (tx: Transaction) => Promise<ExecutionResult>;

/** Thrown in a transaction to roll it back and respond with the errors of this result. */
export class RolledBack extends Error {
  /** What failed, where a conflict is looked for. */
  readonly errors: readonly GraphQLError[];

  constructor({ errors = [] }: ExecutionResult) {
    super('rolled back');
    this.errors = errors;
  }
}

/** Runs the work of a request in one transaction. The only place that opens one. */
export async function inTransaction(
  db: Database,
  work: (tx: Transaction) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  try {
    return await db.$transaction(work, limits);
  } catch (error) {
    if (error instanceof RolledBack) return { data: null, errors: error.errors };
    throw error;
  }
}

/** Runs several changes in one transaction: all of them or none. Decisions: "Several changes at once". */
export const allOrNone = (db: Database, execute: ExecuteIn): Promise<ExecutionResult> =>
  inTransaction(db, async (tx) => {
    const result = await execute(tx);
    // An error without data is the failure of a field; a statement that failed has ended the transaction.
    if (!result.data || !isDecided(result)) throw new RolledBack(result);
    return result;
  });

/** Runs one change in a transaction, and undoes it if anything of its response fails. */
export const onlyWithResponse = (db: Database, execute: ExecuteIn): Promise<ExecutionResult> =>
  inTransaction(db, async (tx) => {
    const result = await execute(tx);
    if (result.errors) throw new RolledBack(result);
    return result;
  });

/** Whether no failure is the server's or of the request as a whole, as that of a response which is too long. */
export const isDecided = ({ errors = [] }: ExecutionResult) =>
  errors.every(
    ({ path, extensions: { code } }) =>
      path && code !== 'QUERY_TOO_COMPLEX' && catalogue[code as ErrorCode]?.status < 500,
  );

/** Whether the operation itself has refused, not its input, so that it has changed nothing. */
export const isRefusal = ({ data, errors = [] }: ExecutionResult) =>
  !data && errors.every(({ path, extensions: { code } }) => path?.length === 1 && code !== 'BAD_USER_INPUT');
