import { GraphQLError } from 'graphql';
import { snakeCase } from '../naming.js';
import { catalogue, type ErrorCode, type FieldErrorCode } from './catalogue.js';

/** One bad field of the request: where, which rule it breaks, and what to send instead. */
export interface FieldError {
  field: string;
  code: FieldErrorCode;
  message: string;
}

/** An expected failure: its code decides the status; members are what a program needs to act on it. */
export function failure(
  code: ErrorCode,
  detail: string,
  members: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): GraphQLError {
  return new GraphQLError(detail, {
    extensions: { code, ...members, http: { status: catalogue[code].status, headers } },
  });
}

export const unauthenticated = () =>
  failure(
    'UNAUTHENTICATED',
    'Send a valid API token: Authorization: Bearer <API_TOKEN>',
    {},
    { 'WWW-Authenticate': 'Bearer' },
  );

export const readOnlyToken = () =>
  failure('READ_ONLY_TOKEN', 'This API token is read-only; mutations need a write-enabled token');

export const badInput = (errors: FieldError[]) =>
  failure('BAD_USER_INPUT', errors.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; '), {
    errors,
  });

export const notFound = (what: string, id: string) => failure('NOT_FOUND', `No ${what} ${JSON.stringify(id)}`);

export const forbidden = (requiredAccess: number, yourAccess: number) =>
  failure('FORBIDDEN', `This needs access level ${requiredAccess}; yours is ${yourAccess}`, {
    requiredAccess,
    yourAccess,
  });

export const goalArchived = (id: string) =>
  failure('GOAL_ARCHIVED', `Goal ${JSON.stringify(id)} is archived; an archived goal cannot be reopened`);

/** What a client needs to look again and decide: both numbers, who made the current version, and when. */
export const versionConflict = (conflict: {
  expectedCurrentVersion: number;
  currentVersion: number;
  currentVersionEditor: { id: string; fullName: string };
  currentVersionInsertedAt: Date;
}) =>
  failure(
    'VERSION_CONFLICT',
    `Expected version ${conflict.expectedCurrentVersion} to be current, but it is version ${conflict.currentVersion}; ` +
      'read the document again and send its current version',
    { ...conflict, currentVersionInsertedAt: conflict.currentVersionInsertedAt.toISOString() },
  );

/** The code of a failure; anything that is not in the catalogue is internal. */
function codeOf(error: GraphQLError): ErrorCode {
  const code = error.extensions.code;
  return typeof code === 'string' && code in catalogue ? (code as ErrorCode) : 'INTERNAL_SERVER_ERROR';
}

/**
 * A failure as an RFC 9457 problem: `type`, `title`, `status`, `detail`, `code`, `requestId` and the members of the case.
 * `type` is the page of the code, absolute when the public address of the server is known.
 */
export function problemOf(error: GraphQLError, requestId: string, publicUrl = '') {
  const code = codeOf(error);
  const { code: _code, http: _http, ...members } = error.extensions;
  const { status, title } = catalogue[code];
  return { type: `${publicUrl}/errors/${code}`, title, status, detail: error.message, code, requestId, ...members };
}

/** Field paths of the input as REST spells them: `input.subscriberIds[2]` -> `subscriber_ids[2]`. */
export function inRestNames(error: GraphQLError): GraphQLError {
  const { code, errors } = error.extensions;
  if (code !== 'BAD_USER_INPUT' || !Array.isArray(errors)) return error;
  return badInput(
    (errors as FieldError[]).map((entry) => ({ ...entry, field: snakeCase(entry.field.replace(/^input\./, '')) })),
  );
}

/** A failure as the documents show it, in GraphQL's names. */
export function exampleOf(code: ErrorCode): GraphQLError {
  const { detail, members = {}, headers = {} } = catalogue[code];
  const shown = Object.entries(members).map(([name, schema]) => [name, schema.examples?.[0]]);
  return failure(code, detail, Object.fromEntries(shown), headers);
}

/** The headers a failure asks for, such as `WWW-Authenticate` or `Allow`. */
export function headersOf(error: GraphQLError): Record<string, string> {
  const http = error.extensions.http as { headers?: Record<string, string> } | undefined;
  return http?.headers ?? {};
}
