import { type ExecutionArgs, type ExecutionResult, execute, type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { RequestContext } from '../http/index.js';
import type { FairQueue, Principal } from '../limits/index.js';
import { ReadBound } from '../postgres/index.js';
import { inOperationSpan } from '../telemetry/index.js';
import { type ChangeOptions, change, isShort, type PendingOperation } from './changes.js';
import { fieldNames, operationOf, type Plugin, perOperation } from './operation.js';
import { executeWithin, ResponseBound } from './responseBound.js';
import { operationCost } from './validation.js';
import { badInputOf } from './validInput.js';

/** The most characters of rows that a document of a caller may read. Decisions: "Query cost". */
export const mostRead = 32_000_000;

export interface ExecutionOptions<Changed> extends ChangeOptions<Changed> {
  /** What resolvers get: a new object for each execution, because Pothos caches what it loads on it. */
  contextOf: (context: RequestContext) => object;
  /** Of rows that a document of a caller may read; 32 million if omitted. */
  readCharacters?: number;
  /** In the response to it; 16 million if omitted. */
  responseCharacters?: number;
  /** One place, for the request that has read much: together they would take more memory than there is. */
  longReads: FairQueue;
  /** Called with the company after a mutation has been committed there. */
  onChange: (companyId: string) => void;
}

type ExecuteOperation = (args: ExecutionArgs) => Promise<ExecutionResult>;

/** The complexity of documents of which each takes one point more, as far as it is begun. */
export const complexityOfPoint = 3_000;

/** A document of ours reads one record, whose text may be long, a few times: as often more as a caller's may. */
const forStored = 4;

const storedCost = perOperation((operation, document, schema: GraphQLSchema) =>
  operationCost(schema)(document, operation, {}),
);

/** The one place that executes operations, of all surfaces. */
export function createExecution<Changed>(options: ExecutionOptions<Changed>): ExecuteOperation {
  const { contextOf, readCharacters = mostRead, responseCharacters, longReads } = options;
  return async (args) => {
    const node = operationOf(args.document, args.operationName);
    if (!node) return execute(args);
    const context = args.contextValue as PendingOperation['context'];
    const { complexity } = context.cost ?? storedCost(node, args.document, args.schema);
    // Its request has been counted as one.
    await context.charge?.(Math.ceil(complexity / complexityOfPoint) - 1);
    const isChange = node.operation === OperationTypeNode.MUTATION;
    const reads = new ReadBound(
      context.isStored ? forStored * readCharacters : readCharacters,
      isChange ? undefined : placeIn(longReads, context.actor),
    );
    if (context.scope) context.scope.reads = reads;
    const bad = context.isStored ? undefined : badInputOf(args, node);
    if (bad) return bad;
    const isBound = !context.isStored && !(isChange && isShort(context.cost));
    const executeOn: PendingOperation['executeOn'] = (db) => {
      const bound = isBound ? new ResponseBound(responseCharacters) : undefined;
      const contextValue = { ...context, ...contextOf(context), ...(db && { db }), bound };
      return executeWithin(bound, { ...args, contextValue }).finally(() => reads.end());
    };
    return inSpan({ args, node, context, executeOn }, (operation) =>
      isChange ? changeAndTell(operation, options) : executeOn(undefined),
    );
  };
}

/** The place of a token in a queue, companies in turn. */
export const placeIn = (queue: FairQueue, { tokenId: id = '', companyId: flow = '' }: Partial<Principal> = {}) => ({
  enter: () => queue.enter({ id, flow }),
  leave: () => queue.leave({ id, flow }),
});

export const useExecution = (executeOperation: ExecuteOperation): Plugin => ({
  onExecute({ setExecuteFn }) {
    setExecuteFn(executeOperation);
  },
});

function inSpan(operation: PendingOperation, run: (operation: PendingOperation) => Promise<ExecutionResult>) {
  const { args, node, context } = operation;
  if (!context.record?.span) return run(operation);
  return inOperationSpan(node.operation, fieldNames(node, args.document, args.schema), () => run(operation));
}

/** What is not told, because its outcome could not be read back or was lost, is found a second later. */
async function changeAndTell<Changed>(operation: PendingOperation, options: ExecutionOptions<Changed>) {
  const { scope } = operation.context;
  if (scope) scope.isChange = true;
  const result = await change(operation, options);
  const { actor } = operation.context;
  if (actor && result.data) options.onChange(actor.companyId);
  return result;
}
