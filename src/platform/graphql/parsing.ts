import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type ParseOptions,
  parse,
  type Source,
  TokenKind,
  validate,
} from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { fileProblem } from '../../fileSystem.js';
import { failure, quoted, shortened } from '../failures/index.js';
import { ConfigError } from '../settings/index.js';
import { operationOf, type Plugin } from './operation.js';

/** About the most bytes of heap that the parser needs for a token, measured with the worst documents. */
const bytesPerToken = 500;
const bytesPerCharacter = 2;

/** The part of the heap that cached documents may fill, and the part of that which one of them may. */
const share = 1 / 16;
const largest = 1 / 64;

/** Valid documents by their text, bounded in bytes, as callers choose what fills it. Decisions: "Staying up". */
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

export interface PersistedDocuments {
  /** GraphQL documents by identifier; a document may have several. */
  documents: ReadonlyMap<string, string>;
  /** Whether clients may run these documents only. REST is not affected. */
  only: boolean;
}

/** The request parameter that identifies a document; an addition to those of GraphQL over HTTP. */
const documentIdParameter = 'documentId';

/**
 * The text of the operator's document that a request names: by `documentId`, or by the hash that clients for automatic
 * persisted queries send. Undefined if it brings its own. A request cannot add documents: where there are none, such a
 * client is asked to send the document.
 */
export function persistedText(params: GraphQLParams, persisted: PersistedDocuments | undefined): string | undefined {
  if (params.query) {
    if (persisted?.only) throw failure('PERSISTED_DOCUMENT_REQUIRED');
    return undefined;
  }
  const id = persisted ? identifierIn(params) : automaticHashIn(params);
  if (id === undefined) {
    if (persisted) throw failure('BAD_REQUEST');
    return undefined;
  }
  const text = persisted?.documents.get(id);
  if (text === undefined) throw notFound(params);
  return text;
}

const notFound = (params: object) =>
  failure('PERSISTED_QUERY_NOT_FOUND', documentIdParameter in params ? { identifier: identifierIn(params) } : {});

function identifierIn(params: object): string | undefined {
  if (documentIdParameter in params) return typeof params.documentId === 'string' ? params.documentId : undefined;
  return automaticHashIn(params);
}

function automaticHashIn(params: object): string | undefined {
  const { extensions } = params as { extensions?: { persistedQuery?: { sha256Hash?: unknown } } | null };
  const hash = extensions?.persistedQuery?.sha256Hash;
  return typeof hash === 'string' ? hash : undefined;
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

const prefix = 'sha256:';

/**
 * Reads the persisted documents: the `.graphql` files of a folder, or a JSON file that maps identifiers to documents.
 * The SHA-256 of a document, with and without the prefix `sha256:`, identifies it too. Throws a ConfigError.
 */
export function readPersistedDocuments(path: string, schema: GraphQLSchema): Map<string, string> {
  const documents = new Map<string, string>();
  const problems: string[] = [];
  for (const [id, text] of textsAt(path)) {
    const hash = createHash('sha256').update(text).digest('hex');
    if (id.startsWith(prefix) && id !== prefix + hash)
      problems.push(`${id} does not match its document, whose hash is ${hash}`);
    const error = errorIn(text, schema);
    if (error) problems.push(`${id}: ${error.message}`);
    for (const name of [id, prefix + hash, hash]) {
      // Such as a file that is named like the hash of another: clients would get what they did not ask for.
      if ((documents.get(name) ?? text) !== text) problems.push(`${name} identifies two documents`);
      documents.set(name, text);
    }
  }
  if (problems.length > 0) throw invalid(path, problems.join('\n  '));
  return documents;
}

function textsAt(path: string): [string, string][] {
  try {
    if (statSync(path).isDirectory()) {
      const files = readdirSync(path).filter((file) => file.endsWith('.graphql'));
      return files.map((file) => [file.slice(0, -'.graphql'.length), readText(join(path, file))]);
    }
    const content: unknown = JSON.parse(readText(path).replace(/^\uFEFF/, ''));
    if (typeof content !== 'object' || content === null || Array.isArray(content)) {
      throw new Error('it must be an object that maps identifiers to documents');
    }
    return Object.entries(content).map(([id, text]) => {
      if (typeof text !== 'string') throw new Error(`${id} is not a string`);
      return [id, text];
    });
  } catch (error) {
    throw invalid(path, fileProblem(error) ?? (error as Error).message);
  }
}

/** Other bytes would be replaced, and the hash of the text would not be that of the file. */
function readText(file: string): string {
  // Reading from a pipe might never end.
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file`);
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) throw new Error(`${file} is not UTF-8`);
  return bytes.toString();
}

function errorIn(text: string, schema: GraphQLSchema): GraphQLError | undefined {
  try {
    return validate(schema, parse(text))[0];
  } catch (error) {
    return error as GraphQLError;
  }
}

const invalid = (path: string, problem: string) => new ConfigError(`PERSISTED_DOCUMENTS ${path}: ${problem}`);
