import { setTimeout as sleep } from 'node:timers/promises';
import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, type GraphQLError } from 'graphql';
import { failure } from '../failures/index.js';
import type { CallerContext, LiveBody, Mask } from '../http/index.js';
import { complexityOfPoint, FairQueue, LongRequest } from '../limits/index.js';
import { callerOf, type ExecutionOptions, mostRead, type Resolving } from './execution.js';
import { type OperationContext, operationOf, type Plugin } from './operation.js';
import { documentBytes } from './parsing.js';
import { catalogued, shownError } from './responding.js';
import { executeWithin, ResponseBound } from './responseBound.js';
import { badInputOf } from './validInput.js';

/** What a subscription field yields. Its resolver gets it as its parent. */
type LiveItem =
  /** An event, or only how far the stream has come, for which nothing is executed. */
  | { cursor: string; event?: unknown }
  /** Why the stream may not go on. */
  | { failure: GraphQLError };

/** Where the items come from. After `return()`, an awaited one is `done`. Never rejects. */
interface LiveSource extends AsyncIterableIterator<LiveItem> {
  return(): Promise<IteratorResult<LiveItem>>;
  /** Whether there is nothing more to come. */
  readonly hasEnded: boolean;
}

/** How a stream came to its end: by its client, to be opened again, or for good. */
type Ending = 'left' | 'come back' | 'refused' | 'unavailable';

export interface StreamSummary {
  /** How many were sent. */
  events: number;
  ending: Ending;
}

interface ServerSentEventsOptions {
  source: LiveSource;
  /** Takes the points for the next event. Returns false if there are none now. */
  pay: () => Promise<boolean>;
  execute: (item: object) => Promise<ExecutionResult>;
  shown: (error: GraphQLError) => object;
  onEnd: (summary: StreamSummary) => void;
}

/** When clients come back, in milliseconds: not all at the same moment. */
const pause = { least: 1_000, most: 6_000 };
const retry = () => `retry: ${Math.round(pause.least + Math.random() * (pause.most - pause.least))}\n\n`;

/** How often a stream looks whether it has points again, and how often its client hears meanwhile that it lives, in milliseconds. */
const waiting = { look: 1_000, sign: 9_000 };
/** What clients ignore. */
const sign = ':\n\n';

const complete = 'event: complete\ndata:\n\n';

/** The results of a subscription as server-sent events. `id` is what a client sends as `Last-Event-ID` when it comes back. */
class ServerSentEvents implements LiveBody {
  #events = 0;
  #hasEnded = false;

  constructor(private readonly options: ServerSentEventsOptions) {}

  async next(): Promise<string | undefined> {
    const { source, pay, execute } = this.options;
    const since = performance.now();
    // What happens meanwhile is read from the database afterwards, if the token is still valid.
    while (!this.#hasEnded && !source.hasEnded && !(await pay())) {
      if (performance.now() - since >= waiting.sign) return sign;
      await sleep(waiting.look);
    }
    if (this.#hasEnded) return undefined;
    const { value: item, done } = await source.next();
    if (this.#hasEnded) return undefined;
    if (done) return this.#end('come back', retry());
    if ('failure' in item) return this.#end('refused', this.#block({ errors: [item.failure] }) + complete);
    const id = `id: ${item.cursor}\n`;
    if (item.event === undefined) return `${id}\n`;
    const result = await execute(item);
    // Sent again when the client comes back, because it has not got this id.
    if (result.errors?.some(isUnavailable)) return this.#end('unavailable', retry());
    this.#events += 1;
    return id + this.#block(result);
  }

  close(): void {
    this.#end('left', '');
  }

  #end(ending: Ending, lastPiece: string): string {
    if (this.#hasEnded) return lastPiece;
    this.#hasEnded = true;
    const { source, onEnd } = this.options;
    void source.return();
    onEnd({ events: this.#events, ending });
    return lastPiece;
  }

  #block({ data, errors }: ExecutionResult): string {
    const shown = { ...(data !== undefined && { data }), ...(errors && { errors: errors.map(this.options.shown) }) };
    return `event: next\ndata: ${JSON.stringify(shown)}\n\n`;
  }
}

const isUnavailable = ({ extensions }: GraphQLError) => extensions.code === 'SERVICE_UNAVAILABLE';

/** All that a stream needs to know of its request: it lasts for an hour, and there may be thousands. */
export type StreamContext = Resolving & Pick<CallerContext, 'requestId' | 'record'>;

type Shared = 'contextOf' | 'readCharacters' | 'responseCharacters' | 'longRequests';

export interface SubscriptionOptions extends Pick<ExecutionOptions<never>, Shared> {
  mask: Mask;
  onStreamEnd: (context: StreamContext, summary: StreamSummary) => void;
}

/** Events that are executed at a time, of all streams: one change may concern thousands of them. They use connections as requests do. */
const atOnce = 4;

/** About how many bytes the document and the variables of a stream may take, which are kept as long as it lasts. */
const mostBytes = 500_000;

/** Throws 400 if there would be too much to keep. */
function requireShort({ document, variableValues = {} }: ExecutionArgs): void {
  if (documentBytes(document) + 2 * JSON.stringify(variableValues).length <= mostBytes) return;
  const problem =
    'The subscription is too long: its document and its variables are kept as long as the stream. Select less, or pass less in variables.';
  throw failure('BAD_REQUEST', { problem });
}

/** From a subscription to the body that goes on. Each event has a context of its own, with which is kept what it loads. */
export function useSubscriptions(options: SubscriptionOptions): Plugin {
  const queue = new FairQueue({ seats: atOnce, refuses: false });
  return {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        const node = operationOf(args.document, args.operationName);
        const context = args.contextValue as OperationContext;
        requireShort(args);
        const bad = node && badInputOf(args, node);
        if (bad) return bad;
        const source = await createSourceEventStream({ ...args, contextValue: options.contextOf(context) });
        if (!(Symbol.asyncIterator in source)) return source;
        context.live = bodyOf(source as LiveSource, args, context, queue, options);
        return {};
      });
    },
  };
}

function bodyOf(
  source: LiveSource,
  { schema, document, operationName, variableValues }: ExecutionArgs,
  { requestId, record, req, actor, surface, scope, charge, cost }: OperationContext,
  queue: FairQueue,
  { contextOf, mask, readCharacters = mostRead, responseCharacters, longRequests, onStreamEnd }: SubscriptionOptions,
): ServerSentEvents {
  const kept: StreamContext = { requestId, record, req, actor, surface, scope };
  const caller = callerOf(actor);
  /** What has been paid for: at first, the point of the request. */
  let paid = complexityOfPoint;
  let askAgainAt = 0;
  const pay = async () => {
    if (paid > 0) return true;
    if (performance.now() < askAgainAt) return false;
    const points = Math.floor(-paid / complexityOfPoint) + 1;
    try {
      await charge?.(points);
    } catch (error) {
      const { retryAfter = 1 } = (error as GraphQLError).extensions ?? {};
      askAgainAt = performance.now() + Number(retryAfter) * 1_000;
      return false;
    }
    paid += points * complexityOfPoint;
    return true;
  };
  const run = async (item: object) => {
    const own = new LongRequest(longRequests, caller, { maximum: readCharacters });
    kept.scope.reads = own;
    const bound = new ResponseBound(responseCharacters);
    const contextValue = { ...contextOf(kept), bound };
    const args = { schema, document, operationName, variableValues, rootValue: item, contextValue };
    const result = await executeWithin(bound, args).finally(() => own.end());
    if (!result.errors) return result;
    return { ...result, errors: result.errors.map((error) => catalogued(mask(error, kept))) };
  };
  return new ServerSentEvents({
    source,
    pay,
    execute: async (item) => {
      paid -= cost?.complexity ?? 0;
      await queue.enter(caller);
      return run(item).finally(() => queue.leave(caller));
    },
    shown: (error) => shownError(error, requestId),
    onEnd: (summary) => onStreamEnd(kept, summary),
  });
}
