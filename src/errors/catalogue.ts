/** JSON Schema of a member of a problem. Names are GraphQL's; REST spells them in snake_case. */
export interface MemberSchema {
  type: 'string' | 'integer' | 'object' | 'array';
  description: string;
  examples?: readonly unknown[];
  enum?: readonly string[];
  format?: string;
  items?: MemberSchema;
  properties?: Readonly<Record<string, MemberSchema>>;
}

export interface Entry {
  status: number;
  title: string;
  /** What it means and what to do about it, for the one who reads the page. */
  meaning: string;
  remedy: string;
  /** An example of `detail`, which is the message in GraphQL. */
  detail: string;
  /** What a program needs to act on it; always there. The first example is the one the documents show. */
  members?: Readonly<Record<string, MemberSchema>>;
  /** Members that are there when they are known. */
  optionalMembers?: Readonly<Record<string, MemberSchema>>;
  /** Headers that come with it, with an example. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Where it occurs, if not with every operation of both surfaces: `declared` by the operations that name it in
   * `extensions.errors`; with the wrong `method` of a path; in `graphql` only.
   */
  occurs?: 'declared' | 'method' | 'graphql';
}

/** The rules a field can break. */
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

export type FieldErrorCode = (typeof fieldErrorCodes)[number];

const level = (description: string, example: number): MemberSchema => ({
  type: 'integer',
  description: `${description}: 0 none, 10 view, 40 comment, 70 edit, 100 full.`,
  examples: [example],
});

/**
 * Every way a request can fail. The one source of the status, title and members of each code on both surfaces, of the
 * OpenAPI responses and of the pages `/errors/<code>`.
 */
const entries = {
  MALFORMED_JSON: {
    status: 400,
    title: 'The request body is not valid JSON',
    meaning: 'The body could not be read as one JSON value in UTF-8. Nothing was done.',
    remedy: 'Send what a JSON serializer prints, in UTF-8. The detail says what was found, and where.',
    detail: 'Not valid JSON: comma expected (line 1, column 31)',
    optionalMembers: {
      line: { type: 'integer', description: 'Line where it went wrong, from 1.', examples: [1] },
      column: { type: 'integer', description: 'Column where it went wrong, from 1.', examples: [31] },
    },
  },
  BAD_USER_INPUT: {
    status: 400,
    title: 'The request has bad input',
    meaning:
      'The request was understood, but fields of it are unknown, missing, null, ill-typed or out of bounds. Nothing was done.',
    remedy: 'Correct every field that is listed in errors: all of them are listed at once.',
    detail: 'input.documentId: must not be null; input.versionNumber: must be at least 1',
    members: {
      errors: {
        type: 'array',
        description: 'Every bad field of the request.',
        items: {
          type: 'object',
          description: 'One bad field.',
          properties: {
            field: {
              type: 'string',
              description: 'Path of the field, such as `subscriber_ids[2]`; empty for the whole body.',
            },
            code: {
              type: 'string',
              description: 'The rule that is broken.',
              enum: fieldErrorCodes,
            },
            message: { type: 'string', description: 'What to send instead, for people.' },
          },
        },
        examples: [
          [
            { field: 'input.documentId', code: 'null', message: 'must not be null' },
            { field: 'input.versionNumber', code: 'too_small', message: 'must be at least 1' },
          ],
        ],
      },
    },
  },
  GRAPHQL_PARSE_FAILED: {
    status: 400,
    title: 'The GraphQL document has a syntax error',
    meaning: 'The query text is not GraphQL. Nothing was done.',
    remedy: 'Correct the document at the place that locations names.',
    detail: 'Syntax Error: Expected Name, found "}".',
    occurs: 'graphql',
  },
  GRAPHQL_VALIDATION_FAILED: {
    status: 400,
    title: 'The GraphQL document does not fit the schema',
    meaning:
      'The document asks for something the schema does not have, or leaves out what it requires. Nothing was done.',
    remedy: 'Compare the document with the schema; the message suggests the nearest name.',
    detail: 'Cannot query field "nam" on type "Goal". Did you mean "name"?',
    occurs: 'graphql',
  },
  BAD_REQUEST: {
    status: 400,
    title: 'The request is not a GraphQL request',
    meaning: 'The body is JSON, but not an object with a query, or its parts have the wrong type. Nothing was done.',
    remedy: 'Send {"query": "…", "variables": {…}, "operationName": "…"}; only query is required.',
    detail: 'Must provide query string.',
    occurs: 'graphql',
  },
  QUERY_TOO_COMPLEX: {
    status: 400,
    title: 'The GraphQL request asks for too much',
    meaning:
      'The document goes over a limit on complexity, depth, aliases, tokens or mutation fields. Nothing was run.',
    remedy:
      'Ask for less at once: fewer fields or a smaller first. extensions.cost of every answer says what it costs.',
    detail: 'complexity: 20201 of at most 10000',
    members: {
      exceeded: {
        type: 'array',
        description: 'Every limit that is exceeded.',
        items: {
          type: 'object',
          description: 'One limit.',
          properties: {
            limit: { type: 'string', description: 'The limit: complexity, depth, aliases, tokens or mutations.' },
            actual: { type: 'integer', description: 'What the document comes to, where it was counted to its end.' },
            maximum: { type: 'integer', description: 'What is allowed.' },
          },
        },
        examples: [[{ limit: 'complexity', actual: 20_201, maximum: 10_000 }]],
      },
    },
    occurs: 'graphql',
  },
  PERSISTED_DOCUMENT_REQUIRED: {
    status: 403,
    title: 'Only persisted documents run here',
    meaning:
      'The server is set to run the GraphQL documents it was given, and this request sent another. Nothing was run.',
    remedy: 'Send the documentId of a persisted document instead of a query, or use the REST paths.',
    detail: 'This server runs persisted documents only: send a documentId',
    occurs: 'graphql',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    status: 404,
    title: 'No such persisted document',
    meaning: 'The server was not given a GraphQL document with this identifier. Nothing was run.',
    remedy: 'Check the identifier, or send the document itself as the query where that is allowed.',
    detail: 'No persisted document "sha256:7dba4bd717b41f10434822356a93c32b1fb4907b983e854300ad839f84cdcd6e"',
    occurs: 'graphql',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'A valid API token is required',
    meaning:
      'No token came with the request, or it is malformed, unknown, expired or revoked, or its person is suspended. ' +
      'Which of these it is, is not told.',
    remedy: 'Send the header Authorization: Bearer <API_TOKEN> with a token that is valid now.',
    detail: 'Send a valid API token: Authorization: Bearer <API_TOKEN>',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  READ_ONLY_TOKEN: {
    status: 403,
    title: 'The API token is read-only',
    meaning: 'The token may read only. Every mutation refuses it before it looks at anything else.',
    remedy: 'Use a write-enabled token.',
    detail: 'This API token is read-only; mutations need a write-enabled token',
  },
  FORBIDDEN: {
    status: 403,
    title: 'Your access does not allow this',
    meaning: 'You can see the resource, but your access level is too low to change it. Nothing was done.',
    remedy: 'Ask someone with full access for the level that is required.',
    detail: 'This needs access level 70; yours is 10',
    members: {
      requiredAccess: level('Level that is required', 70),
      yourAccess: level('Level that you have', 10),
    },
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    meaning:
      'The path or the resource does not exist, or it exists where you cannot see it: the two are never told apart. ' +
      'A deleted file is not found either.',
    remedy: 'Check the path, the id, and whose token you use.',
    detail: 'No goal "goal-launch-mobile-ap"',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'The path does not answer this method',
    meaning: 'The path exists, but not for this HTTP method.',
    remedy: 'Use a method that the header Allow lists.',
    detail: '/api/external/v1/reopen_goal answers POST',
    headers: { Allow: 'POST' },
    occurs: 'method',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    title: 'The answer is only available as JSON',
    meaning: 'The header Accept refuses every form the answer can have. Nothing was done.',
    remedy: 'Send Accept: application/json, or leave the header away.',
    detail: 'The answer is application/json, which the header Accept refuses',
  },
  GOAL_ARCHIVED: {
    status: 409,
    title: 'The goal is archived',
    meaning: 'An archived goal cannot be reopened. Nothing was done.',
    remedy: 'Restore the goal from the archive first.',
    detail: 'Goal "goal-launch-mobile-app" is archived; an archived goal cannot be reopened',
    occurs: 'declared',
  },
  VERSION_CONFLICT: {
    status: 409,
    title: 'The document has changed meanwhile',
    meaning: 'The version you expected to be current is not: someone else has changed the document. Nothing was done.',
    remedy:
      'Read the document again, decide whether the change still makes sense, and send the version that is current now.',
    detail:
      'Expected version 4 to be current, but it is version 5; read the document again and send its current version',
    members: {
      expectedCurrentVersion: { type: 'integer', description: 'The version you expected.', examples: [4] },
      currentVersion: { type: 'integer', description: 'The version that is current.', examples: [5] },
      currentVersionEditor: {
        type: 'object',
        description: 'Who made the current version.',
        properties: {
          id: { type: 'string', description: 'Id of the person.' },
          fullName: { type: 'string', description: 'Name of the person.' },
        },
        examples: [{ id: 'person-ines-moreau', fullName: 'Inês Moreau' }],
      },
      currentVersionInsertedAt: {
        type: 'string',
        format: 'date-time',
        description: 'When the current version was made.',
        examples: ['2026-03-09T16:20:00.000Z'],
      },
    },
    occurs: 'declared',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    title: 'A request with this idempotency key is still running',
    meaning: 'The first request with this Idempotency-Key has not been answered yet. Nothing was done a second time.',
    remedy: 'Send the same request again after the seconds that the header Retry-After names.',
    detail: 'A request with this Idempotency-Key is still running; retry for its outcome',
    members: {
      retryAfter: { type: 'integer', description: 'Seconds to wait before the next try.', examples: [1] },
    },
    headers: { 'Retry-After': '1' },
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'The request body is too large',
    meaning: 'The body has more bytes than the server accepts. It was not read to its end.',
    remedy: 'Send less: shorter texts, or fewer ids in one request.',
    detail: 'The body is larger than 1048576 bytes',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The request body must be JSON',
    meaning: 'The header Content-Type is missing or names something else than JSON in UTF-8.',
    remedy: 'Send Content-Type: application/json.',
    detail: 'Send the body as Content-Type: application/json',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'The idempotency key was used for another payload',
    meaning: 'This Idempotency-Key was sent before with another payload, so this cannot be a retry. Nothing was done.',
    remedy: 'Use a new key for every new request, and the same key only to send the same request again.',
    detail: 'This Idempotency-Key was used with another payload; use a new key',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    meaning: 'The token, or without one the address, has sent more requests than its window allows. Nothing was done.',
    remedy: 'Wait the seconds that the header Retry-After names; RateLimit in every answer says what is left.',
    detail: 'Too many requests; try again in 30 seconds',
    members: {
      retryAfter: { type: 'integer', description: 'Seconds to wait before the next try.', examples: [30] },
    },
    headers: { 'Retry-After': '30' },
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    title: 'Something went wrong on the server',
    meaning: 'An error of the server, not of the request. What it was is in the server’s log, not in the answer.',
    remedy: 'Try again later; if it stays, report the request id.',
    detail: 'Something went wrong on the server; the request id finds it in the log',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'The service cannot answer right now',
    meaning: 'Something the server depends on, such as its database, cannot be reached.',
    remedy: 'Try again after the seconds that the header Retry-After names.',
    detail: 'The database cannot be reached; try again',
    headers: { 'Retry-After': '5' },
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof entries;

export const catalogue: Readonly<Record<ErrorCode, Entry>> = entries;

export const errorCodes = Object.keys(entries) as ErrorCode[];
