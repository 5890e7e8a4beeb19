import { type DocumentNode, type ParseOptions, parse, type Source, syntaxError, TokenKind } from 'graphql';
import { failure } from '../errors/failures.js';

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
export function parseDocument(
  { tokens: maxTokens, ...limits }: DocumentLimits,
  source: string | Source,
  options?: ParseOptions,
): DocumentNode {
  try {
    const document = parse(source, { ...options, maxTokens });
    requireUsableNames(document);
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
  const counted = { definitions: document.definitions.length, repetitions: mostRepetitions(document) };
  const exceeded = (['definitions', 'repetitions'] as const)
    .filter((limit) => counted[limit] > limits[limit])
    .map((limit) => ({ limit, actual: counted[limit], maximum: limits[limit] }));
  if (exceeded.length > 0) throw failure('QUERY_TOO_COMPLEX', { exceeded });
}

/** What follows the name of a field that has more than its name. */
const openers: readonly string[] = [TokenKind.PAREN_L, TokenKind.AT, TokenKind.BRACE_L];

function mostRepetitions({ loc }: DocumentNode): number {
  const counts = new Map<string, number>();
  for (let token = loc?.startToken; token; token = token.next ?? undefined) {
    if (token.kind !== TokenKind.NAME || token.prev?.kind === TokenKind.AT) continue;
    if (openers.includes(token.next?.kind ?? '')) counts.set(token.value, (counts.get(token.value) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

/**
 * Throws a syntax error for a name that is too long, since a response has the names of its fields once for each record,
 * and for names that the executor cannot use: it loses the value of the variable `$__proto__`, and takes every object with
 * a member `then` for a promise.
 */
function requireUsableNames({ loc }: DocumentNode): void {
  for (let token = loc?.startToken; loc && token; token = token.next ?? undefined) {
    if (token.kind !== TokenKind.NAME) continue;
    const refuse = (problem: string) => syntaxError(loc.source, token?.start ?? 0, problem);
    if (token.value.length > longestName) throw refuse(`A name has more than ${longestName} characters.`);
    if (token.value === '__proto__' && token.prev?.kind === TokenKind.DOLLAR) {
      throw refuse('A variable cannot be named __proto__.');
    }
    if (token.value === 'then' && token.next?.kind === TokenKind.COLON) throw refuse('An alias cannot be "then".');
  }
}
