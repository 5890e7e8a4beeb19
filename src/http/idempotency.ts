import { type ExecutionArgs, type ExecutionResult, type FieldNode, GraphQLError, getOperationAST } from 'graphql';
import type { Database } from '../database/client.js';
import { findOutcome, holdKey, type KeyScope, keepOutcome } from '../database/idempotencyKeys.js';
import { failure } from '../errors/failures.js';
import { badKey, fingerprintOf, readKey } from './idempotencyKey.js';
import { rootFields } from './input/rootFields.js';
import type { Step } from './route.js';
import { type ExecuteIn, executeIn, inTransaction, isDecided, isRefusal, RolledBack } from './transaction.js';

interface IdempotencyOptions {
  db: Database;
  clock: () => Date;
  /** Seconds for which an outcome is kept. */
  keptSeconds: number;
}

/**
 * Runs a mutation with an `Idempotency-Key` at most once: the change and its outcome are one transaction, so that a
 * retry finds both or neither. Decisions: "Safe retries".
 */
export function useIdempotency({ db, clock, keptSeconds }: IdempotencyOptions): Step {
  async function once(
    scope: KeyScope,
    fingerprint: Uint8Array<ArrayBuffer>,
    { field, execute, onReplay }: { field: FieldNode; execute: ExecuteIn; onReplay: () => void },
  ): Promise<ExecutionResult> {
    const now = clock();
    return inTransaction(db, async (tx) => {
      const held = await holdKey(tx, scope);
      // Looked up even if another transaction holds the key, because that may be a retry which replays it too.
      const kept = await findOutcome(tx, scope, now);
      if (kept) {
        if (Buffer.compare(kept.fingerprint, fingerprint) !== 0) throw failure('IDEMPOTENCY_KEY_REUSED');
        onReplay();
        return parseResult(kept.result, field);
      }
      if (!held) throw failure('IDEMPOTENCY_KEY_IN_USE', { retryAfter: 1 });
      const result = await execute(tx);
      const isFinal = isDecided(result) && (result.data || isRefusal(result));
      if (!isFinal) throw new RolledBack(result);
      const expiresAt = new Date(now.getTime() + keptSeconds * 1000);
      await keepOutcome(tx, scope, { fingerprint, result: JSON.stringify(result) }, expiresAt);
      return result;
    });
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
      const scope = {
        companyId: actor.companyId,
        tokenId: actor.tokenId,
        operation: field.name.value,
        key: readKey(header),
      };
      setExecuteFn((given: ExecutionArgs) =>
        once(scope, fingerprintOf(given, operation, args.contextValue.params.query), {
          field,
          execute: executeIn(executeFn, given, args.contextValue),
          onReplay: () => {
            responseHeaders['Idempotency-Replayed'] = 'true';
          },
        }),
      );
    },
  };
}

function parseResult(text: string, field: FieldNode): ExecutionResult {
  const { data, errors }: ExecutionResult = JSON.parse(text);
  if (!errors) return { data: data ?? null };
  const revived = errors.map(
    ({ message, path, extensions }) =>
      new GraphQLError(message, { path: path ?? null, extensions, ...(path?.length === 1 && { nodes: field }) }),
  );
  return { data: data ?? null, errors: revived };
}
