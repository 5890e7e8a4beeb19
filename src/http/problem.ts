import type { GraphQLError } from 'graphql';
import { headersOf, problemOf, problemType } from '../errors/problem.js';
import { snakeCased } from '../naming.js';
import type { HttpResponse } from './response.js';

/** A failure as `application/problem+json` (RFC 9457), with its members in snake_case. */
export function problemResponse(error: GraphQLError, requestId: string, publicUrl?: string): HttpResponse {
  const problem = problemOf(error, requestId, publicUrl);
  const headers = { ...headersOf(error), 'Content-Type': problemType };
  return { status: problem.status, headers, body: JSON.stringify(snakeCased(problem)) };
}

/** A failure as a GraphQL response, in this media type. */
export function graphqlResponse(error: GraphQLError, requestId: string, type: string): HttpResponse {
  const { http, ...extensions } = error.extensions;
  const { status = 500 } = (http ?? {}) as { status?: number };
  const body = JSON.stringify({ errors: [{ message: error.message, extensions: { ...extensions, requestId } }] });
  return { status, headers: { ...headersOf(error), 'Content-Type': `${type}; charset=utf-8` }, body };
}
