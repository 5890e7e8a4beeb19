import {
  type Entry,
  type ErrorCode,
  entry,
  failure,
  inSeconds,
  type MemberSchema,
  quoted,
  registerCatalogue,
  shortened,
} from '../platform/failures/index.js';

const either = new Intl.ListFormat('en', { type: 'disjunction' });

/** The request breaks the rules of HTTP, or is in no format that the server reads or writes. */
const httpErrors = {
  METHOD_NOT_ALLOWED: entry<{ target: string; method: string; allow: readonly string[]; origin?: string | undefined }>({
    status: 405,
    title: 'The method is not allowed',
    meaning:
      'The path exists, but it does not support this HTTP method. GraphQL runs queries with GET or POST, and mutations ' +
      'with POST only.',
    remedy: 'Use a method listed in the Allow header.',
    detail: ({ target, method, allow, origin }) =>
      origin === undefined
        ? `${target} does not support ${method}. Use ${either.format(allow)}.`
        : `Web pages of ${quoted(origin)} may not call this server. Its setting CORS_ORIGINS lists those that may.`,
    headers: ({ allow }) => ({ Allow: allow.join(', ') }),
    example: { target: '/api/external/v1/reopen_goal', method: 'GET', allow: ['POST'] },
    graphqlExample: { target: 'A GraphQL mutation', method: 'GET', allow: ['POST'] },
    occurs: 'method',
    refusesRequest: true,
  }),
  NOT_ACCEPTABLE: entry<{ types: readonly string[]; isSubscription?: boolean }>({
    status: 406,
    title: 'The response is not available in that format',
    meaning:
      'The Accept header excludes every format in which the server can respond, or it does not name the one of ' +
      'subscriptions. Nothing was changed.',
    remedy: 'Send Accept: application/json, or omit the header. For a subscription, send Accept: text/event-stream.',
    detail: ({ types, isSubscription }) =>
      isSubscription
        ? `A subscription needs the header Accept: ${types.join(', ')}.`
        : `The Accept header excludes every available type: ${types.join(', ')}.`,
    example: { types: ['application/json'] },
    graphqlExample: { types: ['application/json', 'application/graphql-response+json', 'text/event-stream'] },
    refusesRequest: true,
  }),
  PAYLOAD_TOO_LARGE: entry<{ limit: number }>({
    status: 413,
    title: 'The request body is too large',
    meaning:
      'The body is larger than the server accepts. The server stops reading it and closes the connection. ' +
      'Nothing was changed.',
    remedy: 'Send a smaller body: shorter texts, or fewer ids per request.',
    detail: ({ limit }) => `The request body is larger than ${limit} bytes.`,
    headers: () => ({ Connection: 'close' }),
    example: { limit: 1_048_576 },
    refusesRequest: true,
  }),
  UNSUPPORTED_MEDIA_TYPE: entry<{ isEncoded?: boolean }>({
    status: 415,
    title: 'The request body must be JSON',
    meaning:
      'The Content-Type header is missing, names a type other than JSON or a charset other than UTF-8, or the ' +
      'body is compressed. Nothing was changed.',
    remedy: 'Send Content-Type: application/json, without Content-Encoding.',
    detail: ({ isEncoded }) =>
      isEncoded
        ? 'The request body is compressed. Send it uncompressed, without Content-Encoding.'
        : 'The request body must be JSON in UTF-8. Send it with Content-Type: application/json.',
    // Only for a compressed body: from this header a client concludes that the media type is fine (RFC 7694).
    headers: ({ isEncoded }): Record<string, string> => (isEncoded ? { 'Accept-Encoding': 'identity' } : {}),
    example: {},
    refusesRequest: true,
  }),
  MALFORMED_REQUEST: entry<{ problem: string }>({
    status: 400,
    title: 'The request is not valid HTTP',
    meaning:
      'The request line, a header or the framing of the body breaks the rules of HTTP: the target is not a URL, the ' +
      'Host header is not a valid host or occurs twice, or the body ends early. Nothing was changed.',
    remedy: "Let an HTTP client build the request from the server's address.",
    detail: ({ problem }) => `The request is not valid HTTP: ${problem}.`,
    headers: () => ({ Connection: 'close' }),
    example: { problem: 'the Host header is not a valid host' },
    alwaysProblem: true,
    refusesRequest: true,
  }),
  REQUEST_TIMEOUT: entry({
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'The client did not send the whole request in time. Nothing was changed.',
    remedy: 'Send the whole request without pauses.',
    detail: () => 'The request did not arrive completely in time. Send it without pauses.',
    headers: () => ({ Connection: 'close' }),
    example: {},
    alwaysProblem: true,
    refusesRequest: true,
  }),
  HEADERS_TOO_LARGE: entry({
    status: 431,
    title: 'The headers are too large',
    meaning: 'The request line and the headers are larger than the server accepts. Nothing was changed.',
    remedy: 'Send fewer or shorter headers. Send a long GraphQL query with POST.',
    detail: () => 'The request line and the headers are larger than 16 KiB together.',
    headers: () => ({ Connection: 'close' }),
    example: {},
    alwaysProblem: true,
    refusesRequest: true,
  }),
};

const level = (description: string): MemberSchema => ({
  type: 'integer',
  description: `${description}: 0 none, 10 view, 40 comment, 70 edit, 100 full.`,
});

const whyUnauthenticated = {
  missing: 'The request has no header Authorization.',
  notBearer: 'The scheme of the header Authorization is not Bearer.',
  invalidToken: 'The API token is malformed, unknown, expired or revoked, or its person is suspended.',
};

/** The caller may not do this, or cannot see the resource. */
const accessErrors = {
  UNAUTHENTICATED: entry<{ header?: 'missing' | 'notBearer' }>({
    status: 401,
    title: 'A valid API token is required',
    meaning:
      'The request has no header Authorization, or one whose scheme is not Bearer; the message says so. Otherwise the token ' +
      'is malformed, unknown, expired or revoked, or its person is suspended: the response does not reveal which, and ' +
      'WWW-Authenticate has error="invalid_token".',
    remedy: 'Send a valid token in the header Authorization: Bearer <API_TOKEN>.',
    detail: ({ header }) =>
      `${whyUnauthenticated[header ?? 'invalidToken']} Send a valid token as Authorization: Bearer <API_TOKEN>.`,
    headers: ({ header }) => ({ 'WWW-Authenticate': header ? 'Bearer' : 'Bearer error="invalid_token"' }),
    example: {},
    refusesRequest: true,
  }),
  READ_ONLY_TOKEN: entry({
    status: 403,
    title: 'The API token is read-only',
    meaning: 'The token can read but not change anything. The server rejects mutations before it reads their input.',
    remedy: 'Use a token that may change things, or ask whoever runs the gateway for one.',
    detail: () => 'This API token is read-only. Mutations require a write-enabled token.',
    headers: () => ({ 'WWW-Authenticate': 'Bearer error="insufficient_scope"' }),
    example: {},
    refusesRequest: true,
  }),
  INSUFFICIENT_SCOPE: entry<{ missingScopes: readonly string[]; grantedScopes: readonly string[] }>({
    status: 403,
    title: 'The API token lacks a scope',
    meaning:
      'The token is limited to some operations, or to some surfaces of the API, and the request needs another. The server ' +
      'rejects it before it reads the input, whatever the person of the token may do. Nothing was changed.',
    remedy:
      'Use a token that has the missing scopes, or ask the operator of the server for one. Of several mutation fields in ' +
      'one request, the token needs the scopes of all.',
    detail: ({ missingScopes, grantedScopes }) =>
      `This API token lacks ${missingScopes.join(', ')}. It has ${grantedScopes.join(', ') || 'no scope'}.`,
    headers: ({ missingScopes }) => ({
      'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${missingScopes.join(' ')}"`,
    }),
    example: { missingScopes: ['reopen_goal'], grantedScopes: ['restore_document_version'] },
    members: {
      missingScopes: {
        type: 'array',
        description:
          'The scopes that the request needs and the token lacks: operations, such as `reopen_goal`, or a surface, such ' +
          'as `surface:rest`.',
        items: { type: 'string', description: 'A scope.' },
      },
      grantedScopes: {
        type: 'array',
        description: 'The scopes of that kind that the token has.',
        items: { type: 'string', description: 'A scope.' },
      },
    },
    refusesRequest: true,
  }),
  FORBIDDEN: entry<{ requiredAccess: number; yourAccess: number; accessOf: 'goal' | 'project' | 'space' }>({
    status: 403,
    title: 'Your access level is too low',
    meaning: 'You can see the resource, but your access level does not allow you to change it. Nothing was changed.',
    remedy:
      'Ask someone with full access to the goal, project or space that `access_of` names to raise your access level: an owner ' +
      'of the company, or the champion or the reviewer of a goal or project.',
    detail: ({ requiredAccess, yourAccess }) =>
      `This requires access level ${requiredAccess}. Your access level is ${yourAccess}.`,
    example: { requiredAccess: 70, yourAccess: 10, accessOf: 'goal' },
    members: {
      requiredAccess: level('The required access level'),
      yourAccess: level('Your access level'),
      accessOf: {
        type: 'string',
        description: 'What your access is to: `goal`, `project` or `space`, that of the hub for a file or document.',
      },
    },
  }),
  OWNER_REQUIRED: entry({
    status: 403,
    title: 'Only owners of the company may do this',
    meaning: 'Webhooks belong to the company: only its owners can see and manage them. Nothing was changed.',
    remedy: 'Use the token of an owner of the company, or ask one.',
    detail: () => 'This requires the token of an owner of the company.',
    example: {},
    occurs: 'graphql',
  }),
  NOT_FOUND: entry<{ what: string; id: string } | { path: string }>({
    status: 404,
    title: 'Not found',
    meaning:
      'The path or the resource does not exist, or you cannot see it. The response does not reveal which. ' +
      'Deleted files are not found either.',
    remedy: 'Check the path, the id, and which person your token belongs to.',
    detail: (facts) =>
      'path' in facts
        ? `The path ${shortened(facts.path)} does not exist.`
        : `No ${facts.what} ${quoted(facts.id)} exists, or you cannot see it.`,
    example: { what: 'goal', id: 'goal-launch-mobile-ap' },
  }),
};

const fieldErrorCodes = [
  'unknown',
  'required',
  'null',
  'type',
  'too_short',
  'too_long',
  'too_many',
  'too_small',
  'too_large',
  'invalid',
  'not_found',
] as const;

interface FieldError {
  /** Path of the field; empty for the whole input. */
  field: string;
  code: (typeof fieldErrorCodes)[number];
  /** What to send instead, such as `must not be null`. */
  message: string;
}

/** How many fields the detail names. */
const namedInDetail = 5;

/** What a request says cannot be used. */
const inputErrors = {
  MALFORMED_JSON: entry<{ problem: string }>({
    status: 400,
    title: 'The request is not valid JSON',
    meaning:
      'The server could not read the JSON of the request: it has a syntax error, is nested deeper than 100 levels, or is ' +
      'not UTF-8. Nothing was changed.',
    remedy:
      'Send the output of a JSON serializer, encoded in UTF-8. The detail names the problem and, if known, its position.',
    detail: ({ problem }) => `Invalid JSON: ${problem}.`,
    example: { problem: 'Unexpected end of JSON input' },
    refusesRequest: true,
  }),
  BAD_USER_INPUT: entry<{ errors: FieldError[] }>({
    status: 400,
    title: 'The input is invalid',
    meaning:
      'The server read the request, but some of its fields are unknown, missing, null, of the wrong type or out of ' +
      'bounds. Nothing was changed.',
    remedy:
      'Correct every field listed in errors. The list names all invalid fields, up to a hundred; if there are ' +
      'more, its last entry, whose field is empty, says so.',
    detail({ errors }) {
      const named = errors.slice(0, namedInDetail);
      const texts = named.map(({ field, message }) => (field ? `${field}: ${message}` : message));
      if (errors.length > named.length)
        texts.push(errors.at(-1)?.field === '' ? 'and more' : `and ${errors.length - named.length} more`);
      return texts.join('; ');
    },
    example: {
      errors: [
        { field: 'input.documentId', code: 'null', message: 'must not be null' },
        { field: 'input.versionNumber', code: 'too_small', message: 'must be at least 1' },
      ],
    },
    members: {
      errors: {
        type: 'array',
        description: 'Every invalid field of the request, up to a hundred.',
        items: {
          type: 'object',
          description: 'One invalid field.',
          properties: {
            field: {
              type: 'string',
              description:
                'Path of the field, such as `subscriber_ids[2]`; empty for the whole body and for the entry that says there are more.',
            },
            code: { type: 'string', description: 'The rule that the field breaks.', enum: fieldErrorCodes },
            message: { type: 'string', description: 'What to send instead, for people to read.' },
          },
        },
      },
    },
  }),
};

interface ExceededLimit {
  limit: string;
  actual?: number;
  maximum: number;
  costliest?: { path: string; complexity: number; pages: readonly number[] } | undefined;
}

/** Where to begin, since a long document has many fields. */
const whatCosts = ({ path, complexity, pages }: NonNullable<ExceededLimit['costliest']>) => {
  const field = `The field that costs the most is ${shortened(path)} (${complexity}`;
  if (pages.length === 0) return ` ${field}): leave it out, or ask for it in a request of its own.`;
  const sizes = pages.length === 1 ? `on a page of ${pages}` : `on pages of ${pages.join(' × ')}`;
  return ` ${field}, ${sizes}): ask for smaller pages with first, or for it in a request of its own.`;
};

/** The GraphQL document is invalid, or the server does not run it. */
const graphqlErrors = {
  GRAPHQL_PARSE_FAILED: entry<{ problem: string }>({
    status: 400,
    title: 'The GraphQL document has a syntax error',
    meaning: 'The server could not parse the GraphQL document. Nothing was run.',
    remedy: 'Correct the document at the position given in locations.',
    detail: ({ problem }) => problem,
    example: { problem: 'Syntax Error: Expected Name, found "}".' },
    occurs: 'graphql',
  }),
  GRAPHQL_VALIDATION_FAILED: entry<{ problem: string }>({
    status: 400,
    title: 'The GraphQL document does not match the schema',
    meaning:
      'The document selects something that the schema does not have, or omits something that it requires. Nothing was run.',
    remedy: 'Compare the document with the schema. The message suggests the nearest name.',
    detail: ({ problem }) => problem,
    example: { problem: 'Cannot query field "nam" on type "Goal". Did you mean "name"?' },
    occurs: 'graphql',
  }),
  BAD_REQUEST: entry<{ problem?: string; isBatch?: boolean }>({
    status: 400,
    title: 'The GraphQL request is invalid',
    meaning:
      'The request is not one JSON object with a query, one of its parts or variables has the wrong type, or it selects an ' +
      'operation that the server cannot run. Nothing was run.',
    remedy: 'Send {"query": "…", "variables": {…}, "operationName": "…"}. Only query is required.',
    detail: ({ problem = 'Send one JSON object with a query.', isBatch }) =>
      isBatch ? 'Batches are not supported. Send each operation in a request of its own.' : problem,
    example: {},
    occurs: 'graphql',
    refusesRequest: true,
  }),
  QUERY_TOO_COMPLEX: entry<{ exceeded: readonly ExceededLimit[] }>({
    status: 400,
    title: 'The GraphQL request is too complex',
    meaning:
      'The document exceeds a limit on complexity, depth, aliases, tokens, definitions, repetitions or mutation ' +
      'fields, or the response has too many list items or too much text. Nothing was changed.',
    remedy:
      'Select fewer fields or request smaller pages. To get the cost of a request in extensions.cost, send the header ' +
      'GraphQL-Cost: report with it.',
    detail: ({ exceeded }) =>
      `The request exceeds the limit on ${exceeded
        .map(({ limit, actual, maximum }) =>
          actual === undefined ? `${limit} (more than ${maximum})` : `${limit} (${actual} of at most ${maximum})`,
        )
        .join(' and on ')}.${exceeded.map(({ costliest }) => (costliest ? whatCosts(costliest) : '')).join('')}`,
    example: {
      exceeded: [
        {
          limit: 'complexity',
          actual: 10_201,
          maximum: 10_000,
          costliest: { path: 'resourceHubs.nodes.nodes.nodes', complexity: 10_000, pages: [100, 100] },
        },
      ],
    },
    members: {
      exceeded: {
        type: 'array',
        description: 'Every limit that the request exceeds.',
        items: {
          type: 'object',
          description: 'One limit.',
          properties: {
            limit: {
              type: 'string',
              description:
                'The limit: complexity, depth, aliases, tokens, definitions, repetitions, mutations, items or ' +
                'characters.',
            },
            actual: {
              type: 'integer',
              description: 'The value that the request reaches; absent if counting stopped early.',
            },
            maximum: { type: 'integer', description: 'The highest allowed value.' },
            costliest: {
              type: 'object',
              description: 'Of complexity, the field that costs the most by itself, without those beneath it.',
              properties: {
                path: {
                  type: 'string',
                  description: 'The names or aliases of the fields from the root to it, with dots between them.',
                },
                complexity: { type: 'integer', description: 'What it costs.' },
                pages: {
                  type: 'array',
                  description: 'The sizes of the pages that it is on, which are multiplied.',
                  items: { type: 'integer', description: 'One size.' },
                },
              },
            },
          },
        },
      },
    },
    occurs: 'graphql',
  }),
  PERSISTED_QUERY_NOT_SUPPORTED: entry({
    status: 400,
    title: 'Persisted queries are not supported',
    meaning: 'The request names its document by a hash. Nothing was run.',
    remedy: 'Send the document itself as the query. Clients for automatic persisted queries do so automatically.',
    // Such clients recognize this word.
    detail: () => 'PersistedQueryNotSupported',
    example: {},
    occurs: 'graphql',
    refusesRequest: true,
  }),
};

/** The request is valid, but conflicts with the current state. */
const conflicts = {
  GOAL_ARCHIVED: entry<{ id: string }>({
    status: 409,
    title: 'The goal is archived',
    meaning: 'An archived goal cannot be reopened. Nothing was changed.',
    remedy: 'Restore the goal from the archive, then reopen it.',
    detail: ({ id }) => `The goal ${quoted(id)} is archived and cannot be reopened.`,
    example: { id: 'goal-launch-mobile-app' },
    occurs: 'declared',
  }),
  CANNOT_BE_UNDONE: entry<{ id: string; reason: string; laterChange?: string; instead?: string }>({
    status: 409,
    title: 'The change cannot be taken back',
    meaning: 'The record has been changed again since, or nothing takes back such a change. Nothing was changed.',
    remedy:
      'If `later_change` is there, take that back first. If `instead` is there, that operation is the way back. Otherwise make another change.',
    detail: ({ id, reason }) => `The change ${quoted(id)} cannot be taken back: ${reason}.`,
    example: { id: 'activity-audiobook-reopened', reason: 'it has been changed since' },
    optionalMembers: {
      laterChange: { type: 'string', description: 'The ID of the later change of the record that is in the way.' },
      instead: { type: 'string', description: 'The mutation that is the way back from such a change.' },
    },
    occurs: 'declared',
  }),
  STATE_CHANGED: entry<{ state: string }>({
    status: 409,
    title: 'The record is not in the state you expected',
    meaning:
      'The request says in which state it expects the record, and the record is in another by now: somebody has changed it, ' +
      'or this is the state of another record. Nothing was changed.',
    remedy: 'Ask for the preview again, look at what would change now, and send the state that comes with it.',
    detail: ({ state }) =>
      `The record has changed: its state is ${state} now. Ask for the preview again and send its state.`,
    example: { state: 'e40b21db92c3b8117d5a794174510d7f' },
    members: { state: { type: 'string', description: 'The state in which the record is.' } },
    occurs: 'declared',
  }),
  VERSION_CONFLICT: entry<{
    expectedCurrentVersion: number;
    currentVersion: number;
    currentVersionEditor: { id: string; fullName: string };
    currentVersionInsertedAt: string;
  }>({
    status: 409,
    title: 'The document has changed',
    meaning:
      'Someone changed the document in the meantime, so the version you expected is no longer current. Nothing was changed.',
    remedy: 'Read the document again, check that the restore still makes sense, and send the current version number.',
    detail: ({ expectedCurrentVersion, currentVersion }) =>
      `You expected version ${expectedCurrentVersion} to be current, but the current version is ${currentVersion}. ` +
      'Read the document again and send its current version.',
    example: {
      expectedCurrentVersion: 4,
      currentVersion: 5,
      currentVersionEditor: { id: 'person-ines-moreau', fullName: 'Inês Moreau' },
      currentVersionInsertedAt: '2026-03-09T16:20:00.000Z',
    },
    members: {
      expectedCurrentVersion: { type: 'integer', description: 'The version you expected to be current.' },
      currentVersion: { type: 'integer', description: 'The version that is current.' },
      currentVersionEditor: {
        type: 'object',
        description: 'The person who created the current version.',
        properties: {
          id: { type: 'string', description: 'Id of the person.' },
          fullName: { type: 'string', description: 'Name of the person.' },
        },
      },
      currentVersionInsertedAt: {
        type: 'string',
        format: 'date-time',
        description: 'When the current version was created.',
      },
    },
    occurs: 'declared',
  }),
  TOO_MANY_WEBHOOKS: entry<{ maximum: number }>({
    status: 409,
    title: 'The company has too many webhooks',
    meaning: 'A company can have a limited number of webhooks, disabled ones included. Nothing was changed.',
    remedy: 'Delete a webhook that is not needed any more, or give one more actions.',
    detail: ({ maximum }) => `A company can have at most ${maximum} webhooks. Delete one first.`,
    example: { maximum: 20 },
    occurs: 'graphql',
  }),
  IDEMPOTENCY_KEY_IN_USE: entry<{ retryAfter: number }>({
    status: 409,
    title: 'A request with this idempotency key is still running',
    meaning: 'The server has not finished the first request with this Idempotency-Key. This request changed nothing.',
    remedy: 'Send the same request again after the number of seconds in the Retry-After header.',
    detail: ({ retryAfter }) =>
      `A request with this Idempotency-Key is still running. Retry in ${inSeconds(retryAfter)} to get its outcome.`,
    headers: ({ retryAfter }) => ({ 'Retry-After': String(retryAfter) }),
    example: { retryAfter: 1 },
    members: { retryAfter: { type: 'integer', description: 'Seconds to wait before you retry.' } },
  }),
  IDEMPOTENCY_KEY_REUSED: entry({
    status: 422,
    title: 'The idempotency key was used with a different payload',
    meaning:
      'An earlier request sent this Idempotency-Key with a different payload, so this request is not a retry. ' +
      'Nothing was changed.',
    remedy: 'Use a new key for every new request, and reuse a key only to retry the same request.',
    detail: () => 'This Idempotency-Key was used with a different payload. Use a new key for a new request.',
    example: {},
  }),
};

const unavailableSeconds = 5;

/** The limits of one caller, and what one who is over it has done. */
const limits = {
  token: 'The requests of this token have cost too many points.',
  address: 'Too many requests without a valid token.',
  concurrency: 'Too many requests at the same time.',
  streams: 'Too many streams of this token, or of its company, are open.',
  outcomes: 'The outcomes that are kept for the idempotency keys of this token are too long together.',
  queue: 'Too much is still to be sent to this webhook.',
  pings: 'Too much of what was sent to this webhook in the last minute has failed.',
  secrets: 'Too many old secrets of this webhook still sign.',
};

type LimitName = keyof typeof limits;

/** The server cannot serve any request at the moment. */
const serverErrors = {
  RATE_LIMITED: entry<{ retryAfter: number; limit: LimitName }>({
    status: 429,
    title: 'Too many requests',
    meaning:
      'The token, or the address of a request without a valid token, has sent more requests than a limit allows: in a ' +
      'window of time, or at the same time. A request costs a point, and one with a costly document several. Nothing was ' +
      'changed.',
    remedy:
      'Wait for the number of seconds in the Retry-After header. The RateLimit header of every response shows how much ' +
      'of each limit remains.',
    detail: ({ retryAfter, limit }) => `${limits[limit]} Try again in ${inSeconds(retryAfter)}.`,
    headers: ({ retryAfter }) => ({ 'Retry-After': String(retryAfter) }),
    example: { retryAfter: 30, limit: 'token' },
    members: {
      retryAfter: { type: 'integer', description: 'Seconds to wait before you retry.' },
      limit: {
        type: 'string',
        description:
          'The limit that was exceeded: `token` counts the points that requests of the token cost in a window, `address` ' +
          'requests in a window, `concurrency` requests that run, and responses that are not read, at the same time, and ' +
          '`outcomes` the bytes that are kept for idempotency keys of the token.',
        ofGraphql: {
          values: ['streams', 'queue', 'pings', 'secrets'] satisfies LimitName[],
          description:
            '`streams` counts the open subscriptions of the token and of its company, `queue` what `pingWebhook` and `redeliverWebhookEvent` have yet to send, `pings` what has ' +
            'failed in the last minute to an endpoint that only fails, and `secrets` the old secrets of a webhook that are still valid.',
        },
        enum: Object.keys(limits),
      },
    },
    refusesRequest: true,
  }),
  INTERNAL_SERVER_ERROR: entry<{ changed?: boolean; activityId?: string }>({
    status: 500,
    title: 'Something went wrong on the server',
    meaning:
      'The server failed in an unexpected way. The cause is in its log, not in the response. If `changed` is true, the ' +
      'change was made, and only the response to it could not be.',
    remedy:
      'If `changed` is true, read the record instead of repeating the change. Otherwise try again later. If the error ' +
      'persists, report the request id to the operator of the server.',
    detail: ({ changed }) => {
      const log = 'The log of the server shows the cause under the request id.';
      if (changed)
        return `The change was made, but the response to it failed. Do not repeat it: read the record. ${log}`;
      if (changed === false) return `Something went wrong on the server, and nothing was changed. ${log}`;
      return 'Something went wrong on the server. Its log shows the cause under the request id.';
    },
    headers: ({ changed }): Record<string, string> =>
      changed === undefined ? {} : { 'Goalpost-Changed': String(changed) },
    example: {},
    optionalMembers: {
      changed: {
        type: 'boolean',
        description:
          'Whether the change was made; false if it was undone. Absent if the request was no change, or failed before one.',
      },
      activityId: { type: 'string', description: 'The ID of the activity that the change recorded.' },
    },
  }),
  NOT_CONFIGURED: entry<{ setting: string }>({
    status: 501,
    title: 'The server is not set up for this',
    meaning:
      'The operator of the server has not set what this needs, such as the key of webhooks. A copy of a database, as for ' +
      'tests, then sends nothing to anybody. Nothing was changed.',
    remedy: 'Ask the operator of the server to set what the detail names.',
    detail: ({ setting }) => `This server sends no webhooks: it needs the setting ${setting}.`,
    example: { setting: 'WEBHOOK_KEY' },
    occurs: 'graphql',
  }),
  SERVICE_UNAVAILABLE: entry<{
    overloaded?: true;
    locked?: true;
    streams?: true;
    unwritten?: true;
    unconfirmed?: true;
  }>({
    status: 503,
    title: 'The service is temporarily unavailable',
    meaning:
      'The server cannot reach something that it depends on, such as its database, or got no reply in time. If the ' +
      'request was a change, it may have been made, which the detail then says. Or the server is overloaded and rejected this request ' +
      'before doing anything, another transaction held a record for too long, or ten attempts wrote no row; the detail says that, too.',
    remedy:
      'Try again after the number of seconds in the Retry-After header. Send changes with an Idempotency-Key, so that ' +
      'retries make the change only once.',
    detail: ({ overloaded, locked, streams, unwritten, unconfirmed }) => {
      let problem = 'The database is unavailable.';
      if (overloaded) problem = 'The server is overloaded, and nothing was changed.';
      if (locked) problem = 'Another transaction has locked a record for too long.';
      if (streams) problem = 'The server has as many streams open as it may.';
      if (unwritten)
        problem =
          'Ten attempts have written no row: others changed the record each time, or a trigger of the database leaves the row out.';
      const again = `in ${inSeconds(unavailableSeconds)}`;
      if (unconfirmed)
        return `${problem} The change may have been made: repeat it with the same Idempotency-Key ${again}, or look before you repeat it without one.`;
      return `${problem} Try again ${again}.`;
    },
    headers: () => ({ 'Retry-After': String(unavailableSeconds) }),
    example: {},
  }),
};

const entries = { ...inputErrors, ...httpErrors, ...graphqlErrors, ...accessErrors, ...conflicts, ...serverErrors };

type Facts = { [Code in keyof typeof entries]: (typeof entries)[Code]['example'] };

declare module '../platform/failures/index.js' {
  interface FactsByCode extends Facts {}
}

/** Every way a request can fail: status, wording and members, for both surfaces, the OpenAPI document and the pages. */
export const catalogue: Readonly<Record<ErrorCode, Entry>> = entries;

export const errorCodes = (Object.keys(entries) as ErrorCode[]).sort(
  (one, other) => catalogue[one].status - catalogue[other].status,
);

registerCatalogue(catalogue);

/** The failure that the documents show for a code. */
export const exampleOf = (code: ErrorCode) => failure(code, catalogue[code].example);

/** The same as GraphQL sends it. */
export const graphqlExampleOf = (code: ErrorCode) =>
  failure(code, catalogue[code].graphqlExample ?? catalogue[code].example);
