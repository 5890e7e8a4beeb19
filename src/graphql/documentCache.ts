import { getHeapStatistics } from 'node:v8';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** About the most bytes of heap that the parser needs for a token, measured with the worst documents. */
const bytesPerToken = 500;
const bytesPerCharacter = 2;

/** The part of the heap that cached documents may fill, and the part of that which one of them may. */
const share = 1 / 16;
const largest = 1 / 64;

/**
 * Valid documents by their text, so that they are parsed and validated once. Bounded in bytes, as its callers choose what
 * fills it: large documents are not kept. Decisions: "Staying up".
 */
export class DocumentCache {
  readonly #documents: LRUCache<string, DocumentNode>;

  constructor(bytes = getHeapStatistics().heap_size_limit * share) {
    this.#documents = new LRUCache({
      maxSize: Math.floor(bytes),
      maxEntrySize: Math.floor(bytes * largest),
      sizeCalculation: sizeOf,
    });
  }

  get(text: string): DocumentNode | undefined {
    return this.#documents.get(text);
  }

  has(document: DocumentNode): boolean {
    return this.#documents.peek(textOf(document)) === document;
  }

  add(document: DocumentNode): void {
    this.#documents.set(textOf(document), document);
  }
}

const textOf = ({ loc }: DocumentNode) => loc?.source.body ?? '';

/** About how many bytes of heap a document and its text fill. */
function sizeOf({ loc }: DocumentNode, text: string): number {
  let tokens = 0;
  for (let token = loc?.startToken; token; token = token.next ?? undefined) tokens += 1;
  return tokens * bytesPerToken + text.length * bytesPerCharacter;
}
