import { STATUS_CODES } from 'node:http';
import type { GraphQLError } from 'graphql';
import { headersOf, problemOf, problemType } from '../errors/problem.js';
import { snakeCased } from '../naming.js';

/** A failure as `application/problem+json` (RFC 9457), with its members in snake_case. */
export function problemResponse(error: GraphQLError, requestId: string, publicUrl?: string): Response {
  const problem = problemOf(error, requestId, publicUrl);
  return new Response(JSON.stringify(snakeCased(problem)), {
    status: problem.status,
    statusText: STATUS_CODES[problem.status] ?? '',
    headers: {
      ...headersOf(error),
      'Content-Type': problemType,
      'Cache-Control': 'no-store',
    },
  });
}
