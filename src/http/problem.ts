import type { GraphQLError } from 'graphql';
import { headersOf, problemOf, problemType } from '../errors/problem.js';
import { snakeCased } from '../naming.js';
import type { Answer } from './answer.js';

/** A failure as `application/problem+json` (RFC 9457), with its members in snake_case. */
export function problemAnswer(error: GraphQLError, requestId: string, publicUrl?: string): Answer {
  const problem = problemOf(error, requestId, publicUrl);
  const headers = { ...headersOf(error), 'Content-Type': problemType };
  return { status: problem.status, headers, body: JSON.stringify(snakeCased(problem)) };
}

/** A failure as GraphQL answers with it, in this media type. */
export function graphqlAnswer(error: GraphQLError, requestId: string, type: string): Answer {
  const { http, ...extensions } = error.extensions;
  const { status = 500 } = (http ?? {}) as { status?: number };
  const body = JSON.stringify({ errors: [{ message: error.message, extensions: { ...extensions, requestId } }] });
  return { status, headers: { ...headersOf(error), 'Content-Type': `${type}; charset=utf-8` }, body };
}
