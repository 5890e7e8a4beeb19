import type { GraphQLError } from 'graphql';
import { snakeCase } from '../naming.js';
import { catalogue, isErrorCode } from './catalogue.js';
import { badInput, type FieldError } from './failures.js';

export const problemType = 'application/problem+json; charset=utf-8';

/**
 * A failure as an RFC 9457 problem: `type`, `title`, `status`, `detail`, `code`, `requestId` and its members. `type` is
 * the page of the code, absolute when the public address of the server is known. An unknown code is internal.
 */
export function problemOf(error: GraphQLError, requestId: string, publicUrl = '') {
  const { code: given, http: _, ...members } = error.extensions;
  const code = isErrorCode(given) ? given : 'INTERNAL_SERVER_ERROR';
  const { status, title } = catalogue[code];
  return { type: `${publicUrl}/errors/${code}`, title, status, detail: error.message, code, requestId, ...members };
}

/** The failure with its fields as REST spells them: `input.subscriberIds[2]` -> `subscriber_ids[2]`. */
export function inRestNames(error: GraphQLError): GraphQLError {
  const { code, errors } = error.extensions;
  if (code !== 'BAD_USER_INPUT' || !Array.isArray(errors)) return error;
  return badInput(
    (errors as FieldError[]).map((entry) => ({ ...entry, field: snakeCase(entry.field.replace(/^input\./, '')) })),
  );
}

/** Whether GraphQL responds with a problem too: the client accepts nothing that GraphQL could say it in. */
export const isAlwaysProblem = ({ extensions: { code } }: GraphQLError) =>
  isErrorCode(code) && catalogue[code].alwaysProblem === true;

/** The headers a failure comes with, such as `WWW-Authenticate` or `Allow`. */
export function headersOf(error: GraphQLError): Record<string, string> {
  const http = error.extensions.http as { headers?: Record<string, string> } | undefined;
  return http?.headers ?? {};
}
