import { createParser } from 'eventsource-parser';

/** Where to listen, and as whom. */
export interface ListenedGateway {
  /** Its GraphQL address. */
  url: string;
  token: string;
}

interface StreamRequest {
  query: string;
  variables: object;
  lastEventId: string | undefined;
}

/** How far the stream has come, and what it has said there. */
export interface StreamPiece {
  cursor?: string;
  /** JSON of a GraphQL response; undefined if it only says that it lives. */
  data?: string;
}

/** What ended a connection in order: `complete` for good, or milliseconds after which to come back. */
export type StreamEnd = { isComplete: boolean; retry: number | undefined };

/** The gateway has refused the stream. */
export class StreamRefused extends Error {
  constructor(
    readonly status: number,
    readonly retryAfter: number | undefined,
    message: string,
  ) {
    super(message);
  }
}

/** A stream says at least every 15 seconds that it lives. This machine may have slept, or the connection be lost. */
const quietMilliseconds = 35_000;
const longestPiece = 20_000_000;
const longestRefusal = 2_000;

/** Reads a stream until it ends or breaks. */
export async function* readStream(
  { url, token }: ListenedGateway,
  { lastEventId, ...body }: StreamRequest,
  stopped: AbortSignal,
): AsyncGenerator<StreamPiece, StreamEnd> {
  const quiet = new AbortController();
  const timer = setTimeout(() => quiet.abort(new Error('nothing came for too long')), quietMilliseconds);
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([stopped, quiet.signal]),
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      body: JSON.stringify(body),
    });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) throw await refusalOf(response);
    const stream = new StreamReader();
    for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      yield* stream.feed(text);
      timer.refresh();
      if (stream.isComplete) break;
    }
    return stream;
  } finally {
    clearTimeout(timer);
    quiet.abort();
  }
}

/** Turns text into pieces, also those without data, which the parser leaves out. */
class StreamReader implements StreamEnd {
  isComplete = false;
  retry: number | undefined;
  #text = '';
  #found: StreamPiece[] = [];
  readonly #parser = createParser({
    onEvent: ({ id, event, data }) => {
      if (event === 'complete') this.isComplete = true;
      else this.#found.push({ ...(id !== undefined && { cursor: id }), data });
    },
    onRetry: (retry) => {
      this.retry = retry;
    },
  });

  feed(text: string): StreamPiece[] {
    this.#text += text;
    if (this.#text.length > longestPiece) throw new Error('the gateway has sent too much at once');
    this.#found = [];
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) {
      const alone = /^id: ?(.*)$/.exec(block)?.[1];
      if (alone === undefined) this.#parser.feed(`${block}\n\n`);
      else this.#found.push({ cursor: alone });
    }
    return this.#found;
  }
}

async function refusalOf(response: Response): Promise<StreamRefused> {
  const text = await response.text().then(
    (all) => all.slice(0, longestRefusal),
    () => '',
  );
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new StreamRefused(response.status, Number.isNaN(retryAfter) ? undefined : retryAfter, messageIn(text));
}

/** What the errors of a GraphQL response say; empty if it is none. */
function messageIn(text: string): string {
  try {
    const { errors } = JSON.parse(text);
    return (errors as { message: unknown }[]).map(({ message }) => String(message)).join(' ');
  } catch {
    return '';
  }
}
