import { type StreamEnd, type StreamPiece, StreamReader } from './streamReader.js';

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
