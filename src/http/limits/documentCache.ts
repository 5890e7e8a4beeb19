import { getHeapStatistics } from 'node:v8';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Step } from '../route.js';

/** About the most bytes of heap that the parser needs for a token, measured with the worst documents. */
const bytesPerToken = 500;
const bytesPerCharacter = 2;

/** The part of the heap that cached documents may fill, and the part of that which one of them may. */
const share = 1 / 16;
const largest = 1 / 64;

/**
 * Keeps valid documents, so that they are parsed and validated once. It is bounded in bytes, as its callers choose what
 * fills it: large and invalid documents are not kept. Decisions: "Staying up".
 */
export function useDocumentCache(bytes = getHeapStatistics().heap_size_limit * share): Step {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: Math.floor(bytes),
    maxEntrySize: Math.floor(bytes * largest),
    sizeCalculation: sizeOf,
  });
  const valid = new WeakSet<DocumentNode>();
  return {
    onParse({ params, setParsedDocument }) {
      const document = documents.get(String(params.source));
      if (document) setParsedDocument(document);
    },
    onValidate({ params: { documentAST }, setResult }) {
      if (valid.has(documentAST)) {
        setResult([]);
        return;
      }
      return ({ valid: isValid }) => {
        const text = documentAST.loc?.source.body;
        if (!isValid || text === undefined) return;
        valid.add(documentAST);
        documents.set(text, documentAST);
      };
    },
  };
}

/** About how many bytes of heap a document and its text fill. */
function sizeOf({ loc }: DocumentNode, text: string): number {
  let tokens = 0;
  for (let token = loc?.startToken; token; token = token.next ?? undefined) tokens += 1;
  return tokens * bytesPerToken + text.length * bytesPerCharacter;
}
