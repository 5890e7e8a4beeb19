import { type ExecutionResult, type FieldNode, GraphQLError } from 'graphql';
import { findOutcome, holdKey, type KeyScope, keepOutcome, longOutcomesOf } from '../../database/idempotencyKeys.js';
import type { Database, Transaction } from '../../database/query/client.js';
import { failure, tooLong } from '../../errors/failures.js';
import { type ExecuteIn, inTransaction, isDecided, isRefusal, RolledBack } from './transaction.js';

export interface IdempotencyOptions {
  db: Database;
  /** Seconds for which an outcome is kept. */
  idempotencySeconds: number;
  /** The most bytes of all long outcomes of a token. */
  longOutcomeBytes: number;
}

/** From how many characters on an outcome is long. */
const longOutcome = 1_000_000;

/** A request with an idempotency key. */
export interface KeyedRequest {
  scope: KeyScope;
  /** What the request asks for: a key is good for one. */
  fingerprint: Uint8Array<ArrayBuffer>;
  field: FieldNode;
  execute: ExecuteIn;
  onReplay: () => void;
  /** Whether the outcome has a secret, which is not kept. */
  hasSecret: boolean;
  /** The most characters of an outcome. Whoever asks for more gets 400, and nothing is changed. */
  mostCharacters: number;
}

/**
 * Runs a mutation with an `Idempotency-Key` at most once: the change and its outcome are one transaction, so that a
 * retry finds both or neither. Decisions: "Safe retries".
 */
export async function once(
  { scope, fingerprint, field, execute, onReplay, hasSecret, mostCharacters }: KeyedRequest,
  { db, idempotencySeconds: seconds, longOutcomeBytes }: IdempotencyOptions,
): Promise<ExecutionResult> {
  return inTransaction(db, async (tx) => {
    const held = await holdKey(tx, scope);
    // Looked up even if another transaction holds the key, because that may be a retry which replays it too.
    const kept = await findOutcome(tx, scope, fingerprint);
    if (kept) {
      if (!kept.isSameRequest) throw failure('IDEMPOTENCY_KEY_REUSED');
      onReplay();
      return parseResult(kept.result, field);
    }
    if (!held) throw failure('IDEMPOTENCY_KEY_IN_USE', { retryAfter: 1 });
    const result = await execute(tx);
    const isFinal = isDecided(result) && (result.data || isRefusal(result));
    if (!isFinal) throw new RolledBack(result);
    const outcome = JSON.stringify(result, hasSecret ? withoutSecret : undefined);
    if (outcome.length > mostCharacters) throw tooLong(mostCharacters);
    if (outcome.length > longOutcome) await requireRoom(tx, scope, longOutcomeBytes - outcome.length);
    await keepOutcome(tx, scope, { fingerprint, result: outcome, seconds });
    return result;
  });
}

/** Throws RATE_LIMITED if the token's long outcomes would take too much of the disk of all. */
async function requireRoom(tx: Transaction, scope: KeyScope, mostBytes: number): Promise<void> {
  const { bytes, seconds } = await longOutcomesOf(tx, scope, longOutcome);
  if (bytes > mostBytes) {
    throw failure('RATE_LIMITED', { retryAfter: Math.max(1, Math.ceil(seconds)), limit: 'outcomes' });
  }
}

const withoutSecret = (_name: string, value: unknown) =>
  typeof value === 'string' && value.startsWith('whsec_') ? null : value;

function parseResult(text: string, field: FieldNode): ExecutionResult {
  const { data, errors }: ExecutionResult = JSON.parse(text);
  if (!errors) return { data: data ?? null };
  const revived = errors.map(
    ({ message, path, extensions }) =>
      new GraphQLError(message, { path: path ?? null, extensions, ...(path?.length === 1 && { nodes: field }) }),
  );
  return { data: data ?? null, errors: revived };
}
