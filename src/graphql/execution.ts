import { type ExecutionArgs, type ExecutionResult, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { Database, Transaction } from '../database/query/client.js';
import type { Replicas } from '../database/servers/replicas/replicas.js';
import type { RequestHead } from '../http/requestHead.js';
import { inOperationSpan } from '../telemetry/spans.js';
import { changedRecords } from './changedRecords.js';
import { requireGoodInput } from './goodInput.js';
import { type IdempotencyOptions, once } from './idempotency.js';
import { badKey, fingerprintOf, readKey } from './idempotencyKey.js';
import { LongResponses } from './longResponses.js';
import { onReplica } from './onReplica.js';
import { changesIn, fieldNames, operationOf } from './operation.js';
import type { OperationContext, Plugin } from './plugin.js';
import { noCost } from './queryCost.js';
import { allOrNone, onlyWithResponse } from './transaction.js';

export interface ExecutionOptions<Changed> extends IdempotencyOptions {
  /** Locks what several fields of a request will change, in one order for all requests. */
  lockChanges: (caller: { db: Transaction; actor: Actor }, changes: readonly Changed[]) => Promise<void>;
  /** The most characters in the response to a GraphQL request. */
  responseCharacters: number;
  /** Called with the company after a mutation has been committed there. */
  onChange: (companyId: string) => void;
  replicas?: Replicas | undefined;
}

type Actor = NonNullable<OperationContext['actor']>;

/** An operation that is about to run. */
interface Operation {
  args: ExecutionArgs;
  node: OperationDefinitionNode;
  context: OperationContext & { request: RequestHead };
  /** Executes it in this transaction, or on this database. Each time on a new context, with which is kept what it loads. */
  executeOn: (db: Database | Transaction | undefined) => Promise<ExecutionResult>;
}

/** The most characters that are kept with a key. REST selects what it keeps itself. */
const longestOutcome = 1_000_000;

/** Whether the response to a mutation has no more of a record than REST responds with, or only a few fields of it. */
const isShort = ({ complexity, aliases, pages } = noCost) =>
  pages + aliases === 0 ? complexity <= 3_000 : complexity < 10 && aliases <= 10;

/** The one place that executes operations, of both surfaces. */
export const useExecution = <Changed>(
  options: ExecutionOptions<Changed>,
  longResponses = new LongResponses(),
): Plugin => ({
  onExecute({ executeFn, setExecuteFn }) {
    setExecuteFn(async (args: ExecutionArgs): Promise<ExecutionResult> => {
      const node = operationOf(args.document, args.operationName);
      if (!node) return executeFn(args);
      const context = args.contextValue as Operation['context'];
      if (context.surface === 'GraphQL') requireGoodInput(args, node);
      const run = node.operation === OperationTypeNode.MUTATION ? changeAndTell : read;
      const isLimited = context.surface === 'GraphQL' && !(run === changeAndTell && isShort(context.cost));
      const { responseCharacters } = options;
      const executeOn: Operation['executeOn'] = async (db) => {
        const onDatabase = { ...context, ...(db && { db }) };
        const { actor, record } = context;
        if (!isLimited || !actor) return executeFn({ ...args, contextValue: onDatabase });
        const build = (becomeLong: () => Promise<void>) =>
          executeFn({ ...args, contextValue: { ...onDatabase, responseCharacters, becomeLong } });
        return longResponses.build({ id: actor.tokenId, group: actor.companyId }, build, record);
      };
      return inSpan({ args, node, context, executeOn }, (operation) => run(operation, options));
    });
  },
});

function inSpan(operation: Operation, run: (operation: Operation) => Promise<ExecutionResult>) {
  const { args, node, context } = operation;
  if (!context.record?.span) return run(operation);
  return inOperationSpan(node.operation, fieldNames(args.schema, node, args.document), () => run(operation));
}

/** What is not told, because its outcome could not be read back or was lost, is found a second later. */
async function changeAndTell<Changed>(operation: Operation, options: ExecutionOptions<Changed>) {
  const result = await change(operation, options);
  const { actor } = operation.context;
  if (actor && result.data) options.onChange(actor.companyId);
  return result;
}

/**
 * A key makes a mutation happen once. Several changes happen together or not at all, and so do a change and a response
 * that may turn out too long. Another change commits by itself.
 */
async function change<Changed>({ args, node, context, executeOn }: Operation, options: ExecutionOptions<Changed>) {
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

async function read({ args, node, context, executeOn }: Operation, { replicas }: { replicas?: Replicas | undefined }) {
  const isIntrospection = fieldNames(args.schema, node, args.document) === 'introspection';
  return replicas && !isIntrospection ? onReplica(replicas, context, executeOn) : executeOn(undefined);
}
