import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import type { Database, Transaction } from '../database/client.js';
import { retryConflicts } from '../database/conflicts.js';
import { catalogue, type ErrorCode } from '../errors/catalogue.js';
import type { RequestContext } from './route.js';

const limits = { timeout: 30_000 };

/** Executes the operation in a transaction instead of letting each statement commit by itself. */
export type ExecuteIn = (tx: Transaction) => Promise<ExecutionResult>;

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

export const executeIn =
  (execute: Execute, args: ExecutionArgs, contextValue: RequestContext): ExecuteIn =>
  async (tx) =>
    execute({ ...args, contextValue: { ...contextValue, db: tx } });

/** Thrown in a transaction to roll it back and answer with the errors of this result. */
export class RolledBack extends Error {
  /** What failed, where {@link retryConflicts} looks for a conflict. */
  readonly errors: readonly GraphQLError[];

  constructor({ errors = [] }: ExecutionResult) {
    super('rolled back');
    this.errors = errors;
  }
}

/** Runs the work of a request in one transaction, and again if that loses to another. The only place that opens one. */
export async function inTransaction(
  db: Database,
  work: (tx: Transaction) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  try {
    return await retryConflicts(() => db.$transaction(work, limits));
  } catch (error) {
    if (error instanceof RolledBack) return { data: null, errors: error.errors };
    throw error;
  }
}

/** Whether no failure is the server's or of the request as a whole. */
export const isDecided = ({ errors = [] }: ExecutionResult) =>
  errors.every(({ path, extensions: { code } }) => path && catalogue[code as ErrorCode]?.status < 500);

/** Whether the operation itself has refused, not its input, so that it has changed nothing. */
export const isRefusal = ({ data, errors = [] }: ExecutionResult) =>
  !data && errors.every(({ path, extensions: { code } }) => path?.length === 1 && code !== 'BAD_USER_INPUT');
