import type { ExecutionArgs, ExecutionResult, OperationDefinitionNode } from 'graphql';
import type { Database, Transaction } from '../../database/query/client.js';
import type { RequestHead } from '../../http/requestHead.js';
import { changesIn } from '../operation.js';
import type { OperationContext } from '../plugin.js';
import { noCost } from '../queryCost.js';
import { changedRecords } from './changedRecords.js';
import { type IdempotencyOptions, once } from './idempotency.js';
import { badKey, fingerprintOf, readKey } from './idempotencyKey.js';
import { allOrNone, onlyWithResponse } from './transaction.js';

type Actor = NonNullable<OperationContext['actor']>;

/** An operation that is about to run. */
export interface PendingOperation {
  args: ExecutionArgs;
  node: OperationDefinitionNode;
  context: OperationContext & { request: RequestHead };
  /** Executes it in this transaction, or on this database. Each time on a new context, with which is kept what it loads. */
  executeOn: (db: Database | Transaction | undefined) => Promise<ExecutionResult>;
}

export interface ChangeOptions<Changed> extends IdempotencyOptions {
  /** Locks what several fields of a request will change, in one order for all requests. */
  lockChanges: (caller: { db: Transaction; actor: Actor }, changes: readonly Changed[]) => Promise<void>;
}

/** The most characters that are kept with a key. REST selects what it keeps itself. */
const longestOutcome = 1_000_000;

/** Whether the response to a mutation has no more of a record than REST responds with, or only a few fields of it. */
export const isShort = ({ complexity, aliases, pages } = noCost) =>
  pages + aliases === 0 ? complexity <= 3_000 : complexity < 10 && aliases <= 10;

/**
 * A key makes a mutation happen once. Several changes happen together or not at all, and so do a change and a response
 * that may turn out too long. Another change commits by itself.
 */
export async function change<Changed>(
  { args, node, context, executeOn }: PendingOperation,
  options: ChangeOptions<Changed>,
): Promise<ExecutionResult> {
  const { request, actor, responseHeaders, scope } = context;
  const db = options.db.within(scope);
  const [field, ...others] = changesIn(node, args.document);
  const header = request.headers.get('idempotency-key');
  if (header !== null && field && actor) {
    if (others.length > 0) throw badKey('needs a request with one mutation field');
    const { companyId, tokenId } = actor;
    const key = { companyId, tokenId, operation: field.name.value, key: readKey(header) };
    const fingerprint = fingerprintOf(args, node, context.surface);
    const onReplay = () => {
      responseHeaders['Idempotency-Replayed'] = 'true';
    };
    const mostCharacters = context.surface === 'GraphQL' ? longestOutcome : Number.POSITIVE_INFINITY;
    const hasSecret = args.schema.getMutationType()?.getFields()[field.name.value]?.extensions.hasSecret === true;
    const keyed = { scope: key, fingerprint, field, execute: executeOn, onReplay, hasSecret, mostCharacters };
    return once(keyed, { ...options, db });
  }
  if (others.length > 0) {
    const records = changedRecords<Changed>(args, node);
    return allOrNone(db, async (tx) => {
      if (actor && records.length > 1) await options.lockChanges({ db: tx, actor }, records);
      return executeOn(tx);
    });
  }
  if (context.surface === 'GraphQL' && !isShort(context.cost)) return onlyWithResponse(db, executeOn);
  const result = await executeOn(undefined);
  // What cannot be read back after the change fails as a whole, as it does in REST.
  return result.errors ? { ...result, data: null } : result;
}
