import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface Block {
  id: string | undefined;
  event: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test may read any path in it.
  data: any;
}

interface StreamOptions {
  query?: string;
  variables?: object;
  lastEventId?: string | undefined;
  headers?: Record<string, string>;
  method?: 'GET' | 'POST';
}

const everything = 'subscription { events { id type sequence } }';

/** A client that reads a stream block by block, also the blocks that have only an `id`. */
export class OpenStream {
  readonly #waiting: ((block: Block | undefined) => void)[] = [];
  readonly #blocks: Block[] = [];
  lastEventId = '';
  retry: number | undefined;
  isOver = false;

  constructor(
    readonly req: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    const parser = createParser({
      onEvent: ({ id, event, data }: EventSourceMessage) =>
        this.#add({ id, event, data: data === '' ? undefined : JSON.parse(data) }),
      onRetry: (retry) => {
        this.retry = retry;
      },
    });
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const block = text.slice(0, end + 2);
        text = text.slice(end + 2);
        const id = /^id: (.*)$/m.exec(block)?.[1];
        if (id !== undefined) this.lastEventId = id;
        if (/^data:/m.test(block)) parser.feed(block);
        else if (id !== undefined) this.#add({ id, event: undefined, data: undefined });
        else parser.feed(block);
      }
    });
    const over = () => {
      this.isOver = true;
      for (const resolve of this.#waiting.splice(0)) resolve(undefined);
    };
    response.once('close', over).on('error', over);
  }

  #add(block: Block): void {
    const resolve = this.#waiting.shift();
    if (resolve) resolve(block);
    else this.#blocks.push(block);
  }

  /** The next block; undefined if the stream is over. */
  next(): Promise<Block | undefined> {
    const block = this.#blocks.shift();
    if (block || this.isOver) return Promise.resolve(block);
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** The next block that has data. */
  async event(): Promise<Block | undefined> {
    for (;;) {
      const block = await this.next();
      if (!block || block.data !== undefined || block.event !== undefined) return block;
    }
  }

  /** What `events` says in the next so many events. */
  async events(count: number): Promise<Block['data'][]> {
    const found = [];
    while (found.length < count) found.push((await this.event())?.data.data.events);
    return found;
  }

  close(): void {
    this.req.destroy();
  }
}

/** Opens a stream at this address. Resolves when it has its first block; if it is refused, with the response's JSON. */
export async function askForStream(
  base: string,
  token: string,
  { query = everything, variables, lastEventId, headers, method = 'POST' }: StreamOptions = {},
): Promise<OpenStream | { status: number; headers: IncomingMessage['headers']; body: Block['data'] }> {
  const search = new URLSearchParams({ query, ...(variables && { variables: JSON.stringify(variables) }) });
  const req = request(`${base}/graphql${method === 'GET' ? `?${search}` : ''}`, {
    method,
    agent: false,
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      ...headers,
    },
  });
  req.end(method === 'POST' ? JSON.stringify({ query, variables }) : undefined);
  const [response]: [IncomingMessage] = (await once(req, 'response')) as [IncomingMessage];
  req.on('error', () => {});
  if (response.headers['content-type']?.startsWith('text/event-stream')) {
    const stream = new OpenStream(req, response);
    await stream.next();
    return stream;
  }
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += piece;
  return { status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) };
}

/** Opens a stream that must not be refused. */
export async function openStream(base: string, token: string, options?: StreamOptions): Promise<OpenStream> {
  const stream = await askForStream(base, token, options);
  if (stream instanceof OpenStream) return stream;
  throw new Error(`the stream was refused with ${stream.status}: ${JSON.stringify(stream.body)}`);
}
