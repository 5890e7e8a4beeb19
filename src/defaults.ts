/** The defaults that the settings and `createApp` share. */
export const defaults = {
  /** Largest request body, in bytes. */
  bodyLimit: 1_048_576,
  /** How long the outcome of a request with an Idempotency-Key is kept. */
  idempotencyHours: 24,
  /** How long a request may wait for the database in all, in milliseconds. */
  databaseTimeout: 4500,
  trustedProxies: 0,
  /** The most open subscriptions. */
  streamsMax: 1_000,
  /** The most characters of rows that a GraphQL request may read. Decisions: "Query cost". */
  readCharacters: 32_000_000,
  /** The most characters in the response to a GraphQL request. Decisions: "Query cost". */
  responseCharacters: 16_000_000,
  /** The most bytes of all long outcomes that are kept for the keys of a token. Decisions: "Query cost". */
  longOutcomeBytes: 1_000_000_000,
  queryLimits: {
    complexity: 10_000,
    depth: 15,
    aliases: 30,
    tokens: 4000,
    definitions: 100,
    repetitions: 100,
    mutations: 10,
  },
} as const;

/** The pages that PAGES may name. Those of errors are part of the API: a problem's `type` leads there. */
export const pageNames = ['start', 'docs', 'graphiql', 'guide', 'history'] as const;
