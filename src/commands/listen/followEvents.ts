import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ListenError } from './listenError.js';
import { type ListenedGateway, readStream, StreamRefused } from './readStream.js';
import type { StreamPiece } from './streamReader.js';

export interface WantedEvents {
  actions: readonly string[] | undefined;
  after: string | undefined;
}

export type ListenedEvent = z.infer<typeof event>;

/** What `followEvents` tells while it runs. */
export interface Notes {
  /** It listens, for the first time or again. */
  onListening(): void;
  /** It will try again. */
  onLost(reason: string): void;
  /** How far it has come. */
  onCursor(cursor: string): void;
}

const query = `subscription Listen($actions: [ActivityAction!], $after: String) {
  events(actions: $actions, after: $after) { id type sequence timestamp body }
}`;

const event = z.object({
  id: z.string(),
  type: z.string(),
  sequence: z.number(),
  timestamp: z.string(),
  body: z.string(),
});
const result = z.object({
  data: z.object({ events: event }).nullish(),
  errors: z.array(z.object({ message: z.string() })).nullish(),
});

const pauses = { least: 1_000, most: 30_000 };

/** The events, also those that happen while the gateway or this machine is away. Throws a ListenError. */
export async function* followEvents(
  gateway: ListenedGateway,
  { actions, after }: WantedEvents,
  stopped: AbortSignal,
  notes: Notes,
): AsyncGenerator<ListenedEvent> {
  const variables = { ...(actions && { actions }), ...(after !== undefined && { after }) };
  let lastEventId: string | undefined;
  let pause: number = pauses.least;
  while (!stopped.aborted) {
    let wait = pause;
    pause = Math.min(2 * pause, pauses.most);
    try {
      const stream = readStream(gateway, { query, variables, lastEventId }, stopped);
      let next = await stream.next();
      if (!next.done) notes.onListening();
      for (; !next.done; next = await stream.next()) {
        lastEventId = next.value.cursor ?? lastEventId;
        pause = pauses.least;
        const found = eventIn(next.value);
        if (found) yield found;
        if (lastEventId !== undefined) notes.onCursor(lastEventId);
      }
      if (next.value.isComplete) throw new ListenError('The gateway has ended the stream.');
      wait = Math.min(next.value.retry ?? wait, pauses.most);
      notes.onLost('the gateway has asked to come back');
    } catch (error) {
      if (stopped.aborted) return;
      wait = Math.max(wait, pauseAfter(error, gateway, lastEventId !== undefined));
      notes.onLost(lossReason(error));
    }
    await sleep(wait, undefined, { signal: stopped }).catch(() => {});
  }
}

function eventIn({ data }: StreamPiece): ListenedEvent | undefined {
  if (data === undefined) return undefined;
  const parsed = result.safeParse(readJson(data));
  if (!parsed.success) throw new ListenError('The gateway has sent what is no event. Is it another version?');
  const { data: found, errors } = parsed.data;
  if (found) return found.events;
  throw new ListenError(`The gateway says: ${errors?.map(({ message }) => message).join(' ') || 'nothing'}`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How long to wait before the next attempt, in milliseconds. Throws if another could not succeed either. */
function pauseAfter(error: unknown, { url }: ListenedGateway, hasListened: boolean): number {
  if (error instanceof ListenError) throw error;
  if (!(error instanceof StreamRefused)) {
    if (hasListened) return 0;
    throw new ListenError(
      `There is no gateway at ${url}: ${lossReason(error)}. Start it, or name another with --gateway.`,
    );
  }
  const { status, retryAfter, message } = error;
  if (status === 429 || (status >= 500 && hasListened)) return Math.min((retryAfter ?? 0) * 1_000, pauses.most);
  const problem = message || `it responded with ${status}, and is no gateway`;
  throw new ListenError(`The gateway at ${url} refuses the stream: ${problem}`);
}

/** `fetch` puts the reason into the cause. */
export function lossReason(error: unknown): string {
  const { message, cause } = error as Error;
  if (!(cause instanceof Error)) return message;
  return cause.message || String((cause as NodeJS.ErrnoException).code ?? message);
}
