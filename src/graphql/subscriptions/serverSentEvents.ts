import type { ExecutionResult, GraphQLError } from 'graphql';
import type { LiveBody } from '../../http/liveBody.js';
import type { LiveSource } from './liveSource.js';

/** How a stream came to its end: by its client, to be opened again, or for good. */
type Ending = 'left' | 'come back' | 'refused' | 'unavailable';

export interface StreamSummary {
  /** How many were sent. */
  events: number;
  ending: Ending;
}

interface ServerSentEventsOptions {
  source: LiveSource;
  execute: (item: object) => Promise<ExecutionResult>;
  /** An error as clients see it. */
  shown: (error: GraphQLError) => object;
  onEnd: (summary: StreamSummary) => void;
}

/** When clients come back, in milliseconds: not all at the same moment. */
const pause = { least: 1_000, most: 6_000 };
const retry = () => `retry: ${Math.round(pause.least + Math.random() * (pause.most - pause.least))}\n\n`;

const complete = 'event: complete\ndata:\n\n';

/** The results of a subscription as server-sent events. `id` is what a client sends as `Last-Event-ID` when it comes back. */
export class ServerSentEvents implements LiveBody {
  readonly #options: ServerSentEventsOptions;
  #events = 0;
  #hasEnded = false;

  constructor(options: ServerSentEventsOptions) {
    this.#options = options;
  }

  async next(): Promise<string | undefined> {
    const { source, execute } = this.#options;
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
    const { source, onEnd } = this.#options;
    void source.return();
    onEnd({ events: this.#events, ending });
    return lastPiece;
  }

  #block({ data, errors }: ExecutionResult): string {
    const shown = { ...(data !== undefined && { data }), ...(errors && { errors: errors.map(this.#options.shown) }) };
    return `event: next\ndata: ${JSON.stringify(shown)}\n\n`;
  }
}

const isUnavailable = ({ extensions }: GraphQLError) => extensions.code === 'SERVICE_UNAVAILABLE';
