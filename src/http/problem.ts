import { STATUS_CODES } from 'node:http';
import type { GraphQLError } from 'graphql';
import { headersOf, problemOf, problemType } from '../errors/problem.js';
import { snakeCased } from '../naming.js';

/** An answer that is complete, and costs little to make. */
export interface CompleteAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A failure as `application/problem+json` (RFC 9457), with its members in snake_case. */
export function problemAnswer(error: GraphQLError, requestId: string, publicUrl?: string): CompleteAnswer {
  const problem = problemOf(error, requestId, publicUrl);
  const headers = { ...headersOf(error), 'Content-Type': problemType, 'Cache-Control': 'no-store' };
  return { status: problem.status, headers, body: JSON.stringify(snakeCased(problem)) };
}

export function problemResponse(error: GraphQLError, requestId: string, publicUrl?: string): Response {
  const { status, headers, body } = problemAnswer(error, requestId, publicUrl);
  return new Response(body, { status, statusText: STATUS_CODES[status] ?? '', headers });
}

/** A failure as GraphQL answers with it, in this media type. */
export function graphqlAnswer(error: GraphQLError, requestId: string, type: string): CompleteAnswer {
  const { http, ...extensions } = error.extensions;
  const { status = 500 } = (http ?? {}) as { status?: number };
  const body = JSON.stringify({ errors: [{ message: error.message, extensions: { ...extensions, requestId } }] });
  return { status, headers: { ...headersOf(error), 'Content-Type': `${type}; charset=utf-8` }, body };
}
