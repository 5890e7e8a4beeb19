import { createSourceEventStream, type ExecutionArgs } from 'graphql';
import type { Mask } from '../../http/masking.js';
import type { RequestContext } from '../../http/route.js';
import { Turns } from '../../turns.js';
import { catalogued, shownError } from '../errors.js';
import { execute } from '../executor/execute.js';
import { ResponseBudget } from '../executor/responseBudget.js';
import { operationOf } from '../operation.js';
import type { OperationContext, Plugin } from '../plugin.js';
import { requireValidInput } from '../validInput.js';
import type { LiveSource } from './liveSource.js';
import { ServerSentEvents, type StreamSummary } from './serverSentEvents.js';

export interface SubscriptionOptions {
  contextOf: (context: RequestContext) => object;
  mask: Mask;
  responseCharacters: number;
  onStreamEnd: (context: RequestContext, summary: StreamSummary) => void;
}

/** Events that are executed at a time, of all streams: one change may concern thousands of them. */
const atOnce = 4;

/** From a subscription to the body that goes on. Each event has a context of its own, with which is kept what it loads. */
export function useSubscriptions(options: SubscriptionOptions): Plugin {
  const turns = new Turns(atOnce);
  return {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        const node = operationOf(args.document, args.operationName);
        if (node) requireValidInput(args, node);
        const context = args.contextValue as OperationContext;
        const source = await createSourceEventStream({ ...args, contextValue: options.contextOf(context) });
        if (!(Symbol.asyncIterator in source)) return source;
        context.live = bodyOf(source as LiveSource, args, context, turns, options);
        return {};
      });
    },
  };
}

function bodyOf(
  source: LiveSource,
  { schema, document, operationName, variableValues }: ExecutionArgs,
  { requestId, record, req, actor, responseHeaders, scope }: OperationContext,
  turns: Turns,
  { contextOf, mask, responseCharacters, onStreamEnd }: SubscriptionOptions,
): ServerSentEvents {
  // All that a stream needs to know of its request: it lasts for an hour, and there may be thousands.
  const kept: RequestContext = {
    requestId,
    responseHeaders,
    ...(record && { record }),
    ...(req && { req }),
    ...(actor && { actor }),
    ...(scope && { scope }),
  };
  const run = async (item: object) => {
    const contextValue = contextOf(kept);
    const args = { schema, document, operationName, variableValues, rootValue: item, contextValue };
    const result = await execute(args, new ResponseBudget({ responseCharacters }));
    if (!result.errors) return result;
    return { ...result, errors: result.errors.map((error) => catalogued(mask(error, kept))) };
  };
  return new ServerSentEvents({
    source,
    execute: (item) =>
      turns.take(async () => {
        record?.processorTime.admit(true);
        try {
          return await run(item);
        } finally {
          record?.processorTime.admit(false);
        }
      }),
    shown: (error) => shownError(error, requestId),
    onEnd: (summary) => onStreamEnd(kept, summary),
  });
}
