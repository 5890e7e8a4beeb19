import { Pool } from 'pg';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';

export interface RateLimiterSettings {
  /** Where the counts are: in this process, or in Postgres for all gateways together. */
  store: 'memory' | 'postgres';
  databaseUrl: string;
  windowSeconds: number;
  /** Requests in a window for one token. */
  perToken: number;
  /** Requests in a window without a valid token for one address. */
  perAddress: number;
}

export interface RateLimiters {
  token: RateLimiterAbstract;
  address: RateLimiterAbstract;
  close(): Promise<void>;
}

// A store that does not answer must not hold up what it only counts.
const patience = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 };

/** One counter for each token and one for each address, both with a fixed window. */
export function createRateLimiters(settings: RateLimiterSettings): RateLimiters {
  const { store, databaseUrl, windowSeconds: duration, perToken, perAddress } = settings;
  const token = { keyPrefix: 'token', points: perToken, duration };
  const address = { keyPrefix: 'address', points: perAddress, duration };
  if (store === 'memory') {
    return { token: new RateLimiterMemory(token), address: new RateLimiterMemory(address), close: async () => {} };
  }
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 4,
    application_name: 'goalpost rate limit',
    ...patience,
  });
  pool.on('error', () => {}); // the next request finds out
  const table = { storeClient: pool, storeType: 'pool', tableName: 'rate_limits', tableCreated: true };
  return {
    token: new RateLimiterPostgres({ ...table, ...token }),
    // The first clears what both have left behind.
    address: new RateLimiterPostgres({ ...table, ...address, clearExpiredByTimeout: false }),
    close: () => pool.end(),
  };
}
