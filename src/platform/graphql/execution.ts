import { type ExecutionArgs, type ExecutionResult, execute, type GraphQLSchema, OperationTypeNode } from 'graphql';
import { type CallerContext, refusedFor } from '../http/index.js';
import { type Caller, complexityOfPoint, type FairQueue, LongRequest, type Principal } from '../limits/index.js';
import { inOperationSpan } from '../telemetry/index.js';
import { type ChangeOptions, change, isShort, type PendingOperation, postponing } from './changes.js';
import { fieldNames, type OperationContext, operationOf, perOperation } from './operation.js';
import { executeWithin, ResponseBound } from './responseBound.js';
import { operationCost } from './validation.js';
import { badInputOf } from './validInput.js';

/** The most characters of rows that a document of a caller may read: a row takes several times its length in memory. */
export const mostRead = 32_000_000;

/** What is known of a request whose fields are resolved. */
export type Resolving = Pick<CallerContext, 'actor' | 'req' | 'scope' | 'surface'>;

export interface ExecutionOptions<Changed> extends ChangeOptions<Changed> {
  /** What resolvers get: a new object for each execution, because Pothos caches what it loads on it. */
  contextOf: (context: Resolving) => object;
  /** Of rows that a document of a caller may read; 32 million if omitted. */
  readCharacters?: number;
  /** In the response to it; 16 million if omitted. */
  responseCharacters?: number;
  /** One place, for the request that takes long: the memory of one, and between two of them the requests of others. */
  longRequests: FairQueue;
  /** Called with the company after a mutation has been committed there. */
  onChange: (companyId: string) => void;
}

type ExecuteOperation = (args: ExecutionArgs) => Promise<ExecutionResult>;

/** A document of ours reads one record, whose text may be long, a few times: as often more as a caller's may. */
const forStored = 4;

const storedCost = perOperation((operation, document, schema: GraphQLSchema) =>
  operationCost(schema)(document, operation, {}),
);

/** The one place that executes operations, of all surfaces. */
export function createExecution<Changed>(options: ExecutionOptions<Changed>): ExecuteOperation {
  const { contextOf, readCharacters = mostRead, responseCharacters, longRequests } = options;
  return async (args) => {
    const node = operationOf(args.document, args.operationName);
    if (!node) return execute(args);
    const context = args.contextValue as PendingOperation['context'];
    const { complexity } = context.cost ?? storedCost(node, args.document, args.schema);
    // Its request has been counted as one.
    await context.charge?.(Math.ceil(complexity / complexityOfPoint) - 1);
    const isChange = node.operation === OperationTypeNode.MUTATION;
    const { isStored } = context;
    const own = new LongRequest(longRequests, callerOf(context.actor), {
      isContended: () => context.seat?.isContended ?? false,
      maximum: isStored ? forStored * readCharacters : readCharacters,
      isChange,
      isStored,
    });
    context.scope.reads = own;
    const bad = isStored ? undefined : badInputOf(args, node);
    if (bad) return bad;
    const isBound = !isStored && !(isChange && isShort(context.cost));
    const beforehand = postponing();
    const executeOn: PendingOperation['executeOn'] = (db) => {
      const bound = isBound ? new ResponseBound(responseCharacters) : undefined;
      const activityIds: (string | null)[] = [];
      context.changes = { activityIds, isCommitted: db === undefined };
      const noteChange = (activityId: string | null) => {
        activityIds.push(activityId);
        if (!db) noteCommitted(context);
      };
      const contextValue = {
        ...context,
        ...contextOf(context),
        ...(db && { db }),
        bound,
        noteChange,
        beforehand: beforehand(db !== undefined),
      };
      return executeWithin(bound, { ...args, contextValue }).finally(() => own.recount());
    };
    try {
      const decision = await own.begin(complexity);
      if (decision !== 'admitted') throw refusedFor(decision);
      return await inSpan({ args, node, context, executeOn }, (operation) =>
        isChange ? changeAndTell(operation, options) : executeOn(undefined),
      );
    } finally {
      own.end();
    }
  };
}

/** Who runs, in a queue: a token, companies in turn. */
export const callerOf = ({ tokenId: id, companyId: flow }: Principal): Caller => ({ id, flow });

function inSpan(operation: PendingOperation, run: (operation: PendingOperation) => Promise<ExecutionResult>) {
  const { args, node, context } = operation;
  if (!context.record.span) return run(operation);
  return inOperationSpan(node.operation, fieldNames(node, args.document, args.schema), () => run(operation));
}

/** From now on the request has changed something, whatever becomes of its response. */
function noteCommitted({ record, changes }: OperationContext): void {
  const [activityId, ...others] = changes?.activityIds ?? [];
  if (activityId === undefined) return;
  record.change = { changed: true, ...(activityId !== null && others.length === 0 && { activityId }) };
}

/** What is not told, because its outcome could not be read back or was lost, is found a second later. */
async function changeAndTell<Changed>(operation: PendingOperation, options: ExecutionOptions<Changed>) {
  operation.context.scope.isChange = true;
  const result = await change(operation, options);
  const { actor, record, changes } = operation.context;
  if (result.data) noteCommitted(operation.context);
  else if (changes?.isCommitted === false) record.change = { changed: false };
  if (result.data) options.onChange(actor.companyId);
  return result;
}
