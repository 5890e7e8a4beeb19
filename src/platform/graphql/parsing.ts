import { getHeapStatistics } from 'node:v8';
import { type DocumentNode, GraphQLError, Kind, type ParseOptions, parse, type Source, TokenKind } from 'graphql';
import { LRUCache } from 'lru-cache';
import { failure, quoted, shortened } from '../failures/index.js';
import { operationOf, type Plugin } from './operation.js';

/** About the most bytes of heap that the parser needs for a token, measured with the worst documents. */
const bytesPerToken = 500;
const bytesPerCharacter = 2;

/** The part of the heap that cached documents may fill, and the part of that which one of them may. */
const share = 1 / 16;
const largest = 1 / 64;

/** Valid documents by their text, bounded in bytes, as callers choose what fills it. */
export class DocumentCache {
  readonly #documents: LRUCache<string, DocumentNode>;

  constructor(bytes = getHeapStatistics().heap_size_limit * share) {
    this.#documents = new LRUCache({
      maxSize: Math.floor(bytes),
      maxEntrySize: Math.floor(bytes * largest),
      sizeCalculation: documentBytes,
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
export const documentBytes = ({ loc, tokenCount = 0 }: DocumentNode): number =>
  tokenCount * bytesPerToken + (loc?.source.body.length ?? 0) * bytesPerCharacter;

const longestName = 200;

/** The most that a document may have. The time that validation takes grows with the square of all but the first. */
export interface DocumentLimits {
  tokens: number;
  /** Operations and fragments. */
  definitions: number;
  /** How often it may select the same field with arguments, directives or fields of its own. */
  repetitions: number;
}

/** Parses a document. Throws QUERY_TOO_COMPLEX if it is over a limit, else syntax errors. */
function parseDocument(
  { tokens: maxTokens, ...limits }: DocumentLimits,
  source: string | Source,
  options?: ParseOptions,
): DocumentNode {
  try {
    const document = parse(source, { ...options, maxTokens });
    requireWithin(limits, document);
    return document;
  } catch (error) {
    const tooLong = error instanceof Error && /tokens\. Parsing aborted/.test(error.message);
    // The parser recurses for each level, so that a deep document overflows the stack.
    const tooDeep = error instanceof RangeError;
    if (tooLong || tooDeep) throw failure('QUERY_TOO_COMPLEX', { exceeded: [{ limit: 'tokens', maximum: maxTokens }] });
    throw error;
  }
}

function requireWithin(limits: Omit<DocumentLimits, 'tokens'>, document: DocumentNode): void {
  const counted = { definitions: document.definitions.length, repetitions: readNames(document) };
  const exceeded = (['definitions', 'repetitions'] as const)
    .filter((limit) => counted[limit] > limits[limit])
    .map((limit) => ({ limit, actual: counted[limit], maximum: limits[limit] }));
  if (exceeded.length > 0) throw failure('QUERY_TOO_COMPLEX', { exceeded });
}

/** What follows the name of a field that has more than its name. */
const openers: readonly string[] = [TokenKind.PAREN_L, TokenKind.AT, TokenKind.BRACE_L];

/**
 * How often a document selects the same field with more than its name. Throws BAD_REQUEST for a name that is too long,
 * since a response has the names of its fields once for each record, and for names that graphql-js cannot use: it loses the
 * value of the variable `$__proto__`, and takes every object with a member `then` for a promise.
 */
function readNames({ loc }: DocumentNode): number {
  const counts = new Map<string, number>();
  for (let token = loc?.startToken; loc && token; token = token.next ?? undefined) {
    if (token.kind !== TokenKind.NAME) continue;
    const { start, value, prev, next } = token;
    const refuse = (problem: string) => {
      const { message, extensions } = failure('BAD_REQUEST', { problem });
      return new GraphQLError(message, { source: loc.source, positions: [start], extensions });
    };
    if (value.length > longestName) throw refuse(`A name has more than ${longestName} characters.`);
    if (value === '__proto__' && prev?.kind === TokenKind.DOLLAR) throw refuse('A variable cannot be named __proto__.');
    if (value === 'then' && next?.kind === TokenKind.COLON)
      throw refuse('An alias cannot be "then": JavaScript takes an object with that member for a promise.');
    const isField = prev?.kind !== TokenKind.AT && openers.includes(next?.kind ?? '');
    if (isField) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

interface ParsingOptions {
  limits: DocumentLimits;
  documents: DocumentCache;
}

/** From the parameters of a request to the document of its operation. */
export const useParsing = ({ limits, documents }: ParsingOptions): Plugin => ({
  onParse({ params: { source }, context, setParseFn, setParsedDocument }) {
    setParseFn((text: string | Source, options?: ParseOptions) => parseDocument(limits, text, options));
    const known = documents.get(String(source));
    if (known) setParsedDocument(known);
    return ({ result }) => {
      if (!result || result instanceof Error) return;
      Object.assign(context, { parsed: result });
      const problem = operationProblem(result, context.params.operationName);
      if (problem) throw failure('BAD_REQUEST', { problem });
    };
  },
});

/** What keeps the operation to run from being found. Undefined if it is found. */
function operationProblem(document: DocumentNode, wanted: unknown): string | undefined {
  if (wanted != null && typeof wanted !== 'string') return 'operationName must be a string.';
  if (operationOf(document, wanted)) return undefined;
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operations.length === 0) return 'The document has no operation.';
  const names = operations.map((node) =>
    'name' in node && node.name ? quoted(node.name.value) : 'one without a name',
  );
  const listed = `The document has ${shortened(names.join(', '))}.`;
  return wanted == null
    ? `The document has several operations. Name one in operationName. ${listed}`
    : `There is no operation ${quoted(wanted)}. ${listed}`;
}
