import { type ExecutionArgs, type ExecutionResult, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { Database, Transaction } from '../database/query/client.js';
import type { Replicas } from '../database/servers/replicas/replicas.js';
import { badInput } from '../errors/failures.js';
import type { RequestHead } from '../http/requestHead.js';
import { inOperationSpan } from '../telemetry/spans.js';
import { badArguments } from './badArguments.js';
import { changedRecords } from './changedRecords.js';
import { type IdempotencyOptions, once } from './idempotency.js';
import { badKey, fingerprintOf, readKey } from './idempotencyKey.js';
import { nullDirectives } from './nullDirectives.js';
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

/** Whether the selection of a mutation has no list without pages, no text that counts, and little else. */
const isShort = ({ complexity, aliases } = noCost) => complexity < 10 && aliases <= 10;

/** The one place that executes operations, of both surfaces. */
export const useExecution = <Changed>(options: ExecutionOptions<Changed>): Plugin => ({
  onExecute({ executeFn, setExecuteFn }) {
    setExecuteFn(async (args: ExecutionArgs): Promise<ExecutionResult> => {
      const node = operationOf(args.document, args.operationName);
      if (!node) return executeFn(args);
      const context = args.contextValue as Operation['context'];
      if (context.surface === 'GraphQL') requireGoodInput(args, node);
      const run = node.operation === OperationTypeNode.MUTATION ? change : read;
      const isLimited = context.surface === 'GraphQL' && !(run === change && isShort(context.cost));
      const { responseCharacters } = options;
      const executeOn: Operation['executeOn'] = async (db) =>
        executeFn({
          ...args,
          contextValue: { ...context, ...(db && { db }), ...(isLimited && { responseCharacters }) },
        });
      return inSpan({ args, node, context, executeOn }, (operation) => run(operation, options));
    });
  },
});

/** Finds all bad input before any field runs, so that none is found after a change. */
function requireGoodInput({ schema, document, variableValues }: ExecutionArgs, node: OperationDefinitionNode): void {
  const variables = variableValues ?? {};
  const conditions = nullDirectives(document, node, variables);
  if (conditions.length > 0) throw badInput(conditions);
  const errors = badArguments(schema, document, node, variables);
  if (errors.length > 0) throw badInput(errors);
}

function inSpan(operation: Operation, run: (operation: Operation) => Promise<ExecutionResult>) {
  const { args, node, context } = operation;
  if (!context.record?.span) return run(operation);
  return inOperationSpan(node.operation, fieldNames(args.schema, node, args.document), () => run(operation));
}

/**
 * A key makes a mutation happen once. Several changes happen together or not at all, and so do a change and a response
 * that may turn out too long. Another change commits by itself.
 */
async function change<Changed>({ args, node, context, executeOn }: Operation, options: ExecutionOptions<Changed>) {
  const { request, actor, responseHeaders } = context;
  const [field, ...others] = changesIn(node, args.document);
  const header = request.headers.get('idempotency-key');
  if (header !== null && field && actor) {
    if (others.length > 0) throw badKey('needs a request with one mutation field');
    const { companyId, tokenId } = actor;
    const scope = { companyId, tokenId, operation: field.name.value, key: readKey(header) };
    const fingerprint = fingerprintOf(args, node, context.surface);
    const onReplay = () => {
      responseHeaders['Idempotency-Replayed'] = 'true';
    };
    const mostCharacters = context.surface === 'GraphQL' ? longestOutcome : Number.POSITIVE_INFINITY;
    return once({ scope, fingerprint, field, execute: executeOn, onReplay, mostCharacters }, options);
  }
  if (others.length > 0) {
    const records = changedRecords<Changed>(args, node);
    return allOrNone(options.db, async (tx) => {
      if (actor && records.length > 1) await options.lockChanges({ db: tx, actor }, records);
      return executeOn(tx);
    });
  }
  if (context.surface === 'GraphQL' && !isShort(context.cost)) return onlyWithResponse(options.db, executeOn);
  const result = await executeOn(undefined);
  // What cannot be read back after the change fails as a whole, as it does in REST.
  return result.errors ? { ...result, data: null } : result;
}

async function read({ args, node, context, executeOn }: Operation, { replicas }: { replicas?: Replicas | undefined }) {
  const isIntrospection = fieldNames(args.schema, node, args.document) === 'introspection';
  return replicas && !isIntrospection ? onReplica(replicas, context, executeOn) : executeOn(undefined);
}
