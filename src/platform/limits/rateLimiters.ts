import type { QueryConfig } from 'pg';
import {
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterPostgres,
} from 'rate-limiter-flexible';
import {
  type DatabaseTimeouts,
  openPool,
  type RequestScope,
  report,
  wait,
  withShareOfDeadline,
} from '../postgres/index.js';

export interface RateLimiterSettings {
  /** Where requests are counted: in this gateway, or in Postgres for all gateways together. */
  store: 'memory' | 'postgres';
  databaseUrl: string;
  windowSeconds: number;
  /** Requests that one token may make in a window. */
  perToken: number;
  /** Requests without a valid token that one address may make in a window. */
  perAddress: number;
  /** Milliseconds of work that the requests of one token may cost in a window; not limited if omitted. */
  workPerToken?: number;
  /** Whether to name prepared statements, as for the other statements. */
  preparedStatements?: boolean;
  /** As for the other statements. */
  timeouts?: DatabaseTimeouts;
  /** Whether this process is one of the gateway's workers, for which its primary process counts in memory. */
  isWorker?: boolean;
}

export interface RateLimiters {
  token: RateLimiterAbstract;
  address: RateLimiterAbstract;
  /** Counts in memory, whichever the store is: it is known only when a request has its response, and nobody waits for it. */
  work: RateLimiterAbstract | undefined;
  /** Counts in the store, as a part of this request. */
  ask<T>(scope: RequestScope | undefined, count: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

// A store that does not respond must not delay the requests that it counts.
const most = 2_000;
const unlimited: DatabaseTimeouts = { connect: most, response: most, statement: 0, lock: 0, idleTransaction: 0 };

/** The server also cancels a count that no request waits for any more. Removing expired rows may take longer. */
const shortened = ({ lock, idleTransaction }: DatabaseTimeouts): DatabaseTimeouts => ({
  connect: most,
  response: most,
  statement: 0,
  lock: Math.min(lock, most),
  idleTransaction,
});

/** The share of a request's remaining time for the database that counting may use. */
const share = 1 / 2;

/** Connections that the store in Postgres uses. */
export const rateLimitPoolSize = 4;

/** Creates the limiters, which count in fixed windows: requests of each token and of each address, and work. */
export function createRateLimiters(settings: RateLimiterSettings): RateLimiters {
  const {
    store,
    databaseUrl,
    windowSeconds: duration,
    perToken,
    perAddress,
    workPerToken,
    preparedStatements = true,
    timeouts = unlimited,
    isWorker,
  } = settings;
  const token = { keyPrefix: 'token', points: perToken, duration };
  const address = { keyPrefix: 'address', points: perAddress, duration };
  const inMemory = (options: typeof token) =>
    // The primary process counts for its workers if it counts at all.
    isWorker && store === 'memory'
      ? new RateLimiterCluster({ ...options, timeoutMs: most })
      : new RateLimiterMemory(options);
  const work = workPerToken ? inMemory({ keyPrefix: 'work', points: workPerToken, duration }) : undefined;
  if (store === 'memory') {
    const ask = <T>(_scope: RequestScope | undefined, count: () => Promise<T>) => count();
    return { token: inMemory(token), address: inMemory(address), work, ask, close: async () => {} };
  }
  // Errors need no listener: if the store stays down, the next query reports it.
  const { pool, close } = openPool({
    url: databaseUrl,
    size: rateLimitPoolSize,
    name: 'goalpost rate limit',
    timeouts: shortened(timeouts),
  });
  const run = (query: QueryConfig): Promise<unknown> =>
    preparedStatements ? pool.query(query) : pool.query(query.text, query.values);
  const table = { storeClient: { query: run }, storeType: 'pool', tableName: 'rate_limits', tableCreated: true };
  return {
    token: new RateLimiterPostgres({ ...table, ...token }),
    // The token limiter deletes the expired rows of both.
    address: new RateLimiterPostgres({ ...table, ...address, clearExpiredByTimeout: false }),
    work,
    ask: (whole, count) =>
      withShareOfDeadline(whole, share, (scope) => report(scope, 'SELECT rate_limits', () => wait(scope, count))),
    close,
  };
}
