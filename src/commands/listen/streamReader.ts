import { createParser } from 'eventsource-parser';

/** How far the stream has come, and what it has said there. */
export interface StreamPiece {
  cursor?: string;
  /** JSON of a GraphQL response; undefined if it only says that it lives. */
  data?: string;
}

/** What ended a connection in order: `complete` for good, or milliseconds after which to come back. */
export type StreamEnd = { isComplete: boolean; retry: number | undefined };

const longestPiece = 20_000_000;

/** Turns text into pieces, also those without data, which the parser leaves out. */
export class StreamReader implements StreamEnd {
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
