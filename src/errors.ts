import { GraphQLError } from 'graphql';

/** Every way a request can fail: the status and title of each code, on both surfaces. */
export const catalogue = {
  MALFORMED_JSON: { status: 400, title: 'The request body is not valid JSON' },
  BAD_USER_INPUT: { status: 400, title: 'The request has bad input' },
  GRAPHQL_PARSE_FAILED: { status: 400, title: 'The GraphQL document has a syntax error' },
  GRAPHQL_VALIDATION_FAILED: { status: 400, title: 'The GraphQL document does not fit the schema' },
  BAD_REQUEST: { status: 400, title: 'The request is not a GraphQL request' },
  UNAUTHENTICATED: { status: 401, title: 'A valid API token is required' },
  READ_ONLY_TOKEN: { status: 403, title: 'The API token is read-only' },
  FORBIDDEN: { status: 403, title: 'Your access does not allow this' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The path does not answer this method' },
  NOT_ACCEPTABLE: { status: 406, title: 'The answer is only available as JSON' },
  GOAL_ARCHIVED: { status: 409, title: 'The goal is archived' },
  VERSION_CONFLICT: { status: 409, title: 'The document has changed meanwhile' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The request body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The request body must be JSON' },
  INTERNAL_SERVER_ERROR: { status: 500, title: 'Something went wrong on the server' },
  SERVICE_UNAVAILABLE: { status: 503, title: 'The service cannot answer right now' },
} as const;

export type ErrorCode = keyof typeof catalogue;

/** One bad field of the request: where, which rule it breaks, and what to send instead. */
export interface FieldError {
  field: string;
  code:
    | 'unknown'
    | 'required'
    | 'null'
    | 'type'
    | 'too_short'
    | 'too_long'
    | 'too_many'
    | 'too_small'
    | 'too_large'
    | 'invalid'
    | 'not_found';
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
  failure('BAD_USER_INPUT', errors.map(({ field, message }) => `${field}: ${message}`).join('; '), { errors });

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

/** A failure as an RFC 9457 problem: `type`, `title`, `status`, `detail`, `code`, `requestId` and the members of the case. */
export function problemOf(error: GraphQLError, requestId: string) {
  const code = codeOf(error);
  const { code: _code, http: _http, ...members } = error.extensions;
  return { type: `/errors/${code}`, ...catalogue[code], detail: error.message, code, requestId, ...members };
}

/** The headers a failure asks for, such as `WWW-Authenticate` or `Allow`. */
export function headersOf(error: GraphQLError): Record<string, string> {
  const http = error.extensions.http as { headers?: Record<string, string> } | undefined;
  return http?.headers ?? {};
}
