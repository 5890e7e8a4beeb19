import { type DocumentNode, type ParseOptions, parse, type Source, syntaxError, TokenKind } from 'graphql';
import { failure } from '../errors/failures.js';

const longestName = 200;

/** Parses a document of at most that many tokens. Throws QUERY_TOO_COMPLEX for a longer one, else syntax errors. */
export function parseDocument(maxTokens: number, source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    const document = parse(source, { ...options, maxTokens });
    requireUsableNames(document);
    return document;
  } catch (error) {
    const tooLong = error instanceof Error && /tokens\. Parsing aborted/.test(error.message);
    // The parser recurses for each level, so that a deep document overflows the stack.
    const tooDeep = error instanceof RangeError;
    if (tooLong || tooDeep) throw failure('QUERY_TOO_COMPLEX', { exceeded: [{ limit: 'tokens', maximum: maxTokens }] });
    throw error;
  }
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
