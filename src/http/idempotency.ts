import { type ExecutionArgs, type ExecutionResult, type FieldNode, GraphQLError, getOperationAST } from 'graphql';
import type { Database, Transaction } from '../database/client.js';
import { findOutcome, holdKey, type KeyScope, keepOutcome } from '../database/idempotencyKeys.js';
import { catalogue, type ErrorCode } from '../errors/catalogue.js';
import { failure } from '../errors/failures.js';
import { badKey, fingerprintOf, readKey } from './idempotencyKey.js';
import { rootFields } from './input/rootFields.js';
import type { Step } from './route.js';

interface IdempotencyOptions {
  db: Database;
  clock: () => Date;
  /** Seconds for which an outcome is kept. */
  keptSeconds: number;
}

type ExecuteIn = (tx: Transaction) => Promise<ExecutionResult>;

const transaction = { maxWait: 10_000, timeout: 30_000 };

/**
 * Runs a mutation with an `Idempotency-Key` at most once: the change and its outcome are one transaction, so that a
 * retry finds both or neither. Decisions: "Safe retries".
 */
export function useIdempotency({ db, clock, keptSeconds }: IdempotencyOptions): Step {
  async function once(scope: KeyScope, fingerprint: Uint8Array<ArrayBuffer>, field: FieldNode, execute: ExecuteIn) {
    const now = clock();
    return db.$transaction(async (tx): Promise<{ result: ExecutionResult; replayed: boolean }> => {
      if (!(await holdKey(tx, scope))) throw failure('IDEMPOTENCY_KEY_IN_USE', { retryAfter: 1 });
      const kept = await findOutcome(tx, scope, now);
      if (kept) {
        if (Buffer.compare(kept.fingerprint, fingerprint) !== 0) throw failure('IDEMPOTENCY_KEY_REUSED');
        return { result: parseResult(kept.result, field), replayed: true };
      }
      const result = await execute(tx);
      if (!isFinal(result)) throw new Undecided(result);
      const expiresAt = new Date(now.getTime() + keptSeconds * 1000);
      await keepOutcome(tx, scope, { fingerprint, result: JSON.stringify(result) }, expiresAt);
      return { result, replayed: false };
    }, transaction);
  }

  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { request, actor, responseHeaders } = args.contextValue;
      const header = request.headers.get('idempotency-key');
      const operation = getOperationAST(args.document, args.operationName);
      if (header === null || operation?.operation !== 'mutation') return;
      const [field, ...others] = rootFields(args.document, operation).filter(({ name }) => name.value !== '__typename');
      if (!field || !actor) return;
      if (others.length > 0) throw badKey('needs a request with one mutation field');
      const scope = { tokenId: actor.tokenId, operation: field.name.value, key: readKey(header) };
      setExecuteFn(async (given: ExecutionArgs) => {
        const execute: ExecuteIn = async (tx) =>
          executeFn({ ...given, contextValue: { ...args.contextValue, db: tx } });
        try {
          const { result, replayed } = await once(
            scope,
            fingerprintOf(given, args.contextValue.params.query),
            field,
            execute,
          );
          if (replayed) responseHeaders['Idempotency-Replayed'] = 'true';
          return result;
        } catch (error) {
          if (error instanceof Undecided) return { data: null, errors: error.result.errors ?? [] };
          throw error;
        }
      });
    },
  };
}

/** Thrown to roll the transaction back, because a retry may succeed. */
class Undecided extends Error {
  constructor(readonly result: ExecutionResult) {
    super('undecided');
  }
}

/** Whether every retry gets this result: a success, or a failure that the operation itself decided. */
const isFinal = ({ errors = [] }: ExecutionResult) =>
  errors.every(({ path, extensions: { code } }) => path && catalogue[code as ErrorCode]?.status < 500);

function parseResult(text: string, field: FieldNode): ExecutionResult {
  const { data, errors }: ExecutionResult = JSON.parse(text);
  if (!errors) return { data: data ?? null };
  const revived = errors.map(
    ({ message, path, extensions }) =>
      new GraphQLError(message, { path: path ?? null, extensions, ...(path?.length === 1 && { nodes: field }) }),
  );
  return { data: data ?? null, errors: revived };
}
