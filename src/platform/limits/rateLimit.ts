import { GraphQLError } from 'graphql';
import type { QueryConfig } from 'pg';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { Cache } from '../caching/index.js';
import { failure } from '../failures/index.js';
import {
  type DatabaseTimeouts,
  openPool,
  type RequestScope,
  sendInTime,
  withShareOfDeadline,
} from '../postgres/index.js';
import type { RequestRecord } from '../telemetry/index.js';
import type { Callers, Client, Principal } from './callers.js';

export interface RateLimiterSettings {
  /** Where requests are counted: in this gateway, or in Postgres for all gateways together. */
  store: 'memory' | 'postgres';
  databaseUrl: string;
  windowSeconds: number;
  /** Points that the requests of one token may cost in a window. */
  perToken: number;
  /** Requests without a valid token that one address may make in a window. */
  perAddress: number;
  /** Whether to name prepared statements, as for the other statements. */
  preparedStatements: boolean;
}

/** Counts points in fixed windows. What is over the limit is a rejection with a `RateLimiterRes`. */
type Limiter = Pick<RateLimiterAbstract, 'points' | 'duration' | 'consume'>;

export interface RateLimiters {
  token: Limiter;
  address: Limiter;
  /** Counts in the store, as a part of this request. */
  ask<T>(scope: RequestScope | undefined, count: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

// A store that does not respond must not delay the requests that it counts.
const most = 2_000;
/** The server gives up waiting for a lock while a request still waits for its count. Removing expired rows may take longer. */
const timeouts: DatabaseTimeouts = { connect: most, response: most, statement: 0, lock: 1_500, idleTransaction: 0 };

/** The share of a request's remaining time for the database that counting may use. */
const share = 1 / 2;

/** Connections that the store in Postgres uses. */
export const rateLimitPoolSize = 4;

/** Creates the limiters, which count in fixed windows: points of each token, and requests of each address. */
export function createRateLimiters(settings: RateLimiterSettings): RateLimiters {
  const { store, databaseUrl, windowSeconds: duration, perToken, perAddress, preparedStatements } = settings;
  if (store === 'memory') {
    const [token, address] = [new MemoryLimiter(perToken, duration), new MemoryLimiter(perAddress, duration)];
    return { token, address, ask: (_scope, count) => count(), close: async () => {} };
  }
  // Errors need no listener: if the store stays down, the next query reports it.
  const opened = openPool({
    url: databaseUrl,
    poolSize: rateLimitPoolSize,
    name: 'goalpost rate limit',
    timeouts,
  });
  const { pool } = opened;
  const run = (query: QueryConfig): Promise<unknown> =>
    preparedStatements && opened.keepsNames ? pool.query(query) : pool.query(query.text, query.values);
  const table = { storeClient: { query: run }, storeType: 'pool', tableName: 'rate_limits', tableCreated: true };
  const token = { keyPrefix: 'token', points: perToken, duration };
  // The token limiter deletes the expired rows of both.
  const address = { keyPrefix: 'address', points: perAddress, duration, clearExpiredByTimeout: false };
  return {
    token: new RateLimiterPostgres({ ...table, ...token }),
    address: new RateLimiterPostgres({ ...table, ...address }),
    ask: (whole, count) => withShareOfDeadline(whole, share, (scope) => sendInTime(scope, 'SELECT rate_limits', count)),
    close: opened.close,
  };
}

/** Of how many tokens or addresses a process counts what they take. Those that asked last stay. */
const mostCounted = 100_000;

/** Counts in this process, by a clock that nobody sets. */
class MemoryLimiter implements Limiter {
  readonly #taken = new Cache<string, { points: number; until: number }>(mostCounted);

  constructor(
    readonly points: number,
    readonly duration: number,
  ) {}

  async consume(key: string | number, points = 1): Promise<RateLimiterRes> {
    const now = performance.now();
    const last = this.#taken.get(`${key}`);
    const taken = last && last.until > now ? last : { points: 0, until: now + this.duration * 1000 };
    taken.points += points;
    this.#taken.set(`${key}`, taken);
    const left = Math.max(0, this.points - taken.points);
    const result = new RateLimiterRes(left, taken.until - now, taken.points, taken !== last);
    if (taken.points > this.points) throw result;
    return result;
  }
}

/** How many unknown tokens are looked up in 10 seconds although their address is over its limit. */
class LookUps {
  readonly #ofAddress = new MemoryLimiter(5, 10);
  readonly #ofAll = new MemoryLimiter(100, 10);

  async isAllowed({ token, address }: Client): Promise<boolean> {
    if (!token) return false;
    try {
      await this.#ofAddress.consume(address);
      await this.#ofAll.consume('');
      return true;
    } catch {
      return false;
    }
  }
}

/** What is limited: the points of a token, or the requests of an address. */
type CountedLimit = 'token' | 'address';

const maxBlocked = 10_000;
const newKeys = () => new Cache<string, true>(maxBlocked);

/** Which clients are over a limit, and for how long. */
class BlockedClients {
  readonly #keys = { token: newKeys(), address: newKeys() };

  block(limit: CountedLimit, key: string, milliseconds: number): void {
    this.#keys[limit].set(key, true, { ttl: Math.ceil(milliseconds) });
  }

  /** Milliseconds; 0 if it is not over the limit. */
  remaining(limit: CountedLimit, key: string): number {
    return Math.max(0, this.#keys[limit].getRemainingTTL(key));
  }

  /** The limit that the client is over, of its token or, if it has none, of its address. */
  limitOf({ token, address }: Client): { limit: CountedLimit; wait: number } | undefined {
    const limit = token === undefined ? 'address' : 'token';
    const wait = this.remaining(limit, token ?? address);
    return wait > 0 ? { limit, wait } : undefined;
  }
}

/** An item of the header `RateLimit-Policy`. */
const policyOf = (limit: CountedLimit, { points, duration }: { points: number; duration: number }): string =>
  `"${limit}";q=${points};w=${duration}`;

/** An item of the header `RateLimit`: what is left of a limit, and until when. */
const leftOf = (limit: CountedLimit, points: number, milliseconds: number): string =>
  `"${limit}";r=${Math.max(0, points)};t=${wholeSeconds(milliseconds)}`;

const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

/** What is known of a request that is counted, and what its response says of the limits. */
interface CountedContext {
  record: RequestRecord;
  scope?: RequestScope | undefined;
  client: Client;
  responseHeaders: Record<string, string>;
}

export interface RateLimit {
  /** Whether the client is known to be over its limit, or sends an unknown token from an address that is. */
  isOver(client: Client): boolean;
  /** The failure of a request known to be over its limit, before it takes a seat, if `isCounted` says that it counts. */
  refusal(context: CountedContext, isCounted: () => boolean): GraphQLError | undefined;
  /** Runs `check`, which finds out who sent the request, and counts it, whatever the outcome. Fails with 429 if the request is over the limit. */
  count<Result extends { actor: Principal } | undefined>(
    context: CountedContext,
    check: () => Promise<Result>,
  ): Promise<Result>;
  /** Counts points besides the one of the request. Fails with 429 too. */
  charge(context: CountedContext, actor: Principal, points: number): Promise<void>;
}

interface RateLimitOptions {
  limiters: RateLimiters;
  callers: Callers;
  logger: Logger;
  clock: () => Date;
}

const logEvery = 10_000;

/**
 * Counts a request for its token if that is valid, otherwise for its address. From an address over its limit, known tokens
 * are served and a few are looked up: one broken client must not lock out the others behind it, and guessing costs no SQL.
 */
export function rateLimit({ limiters, callers, logger, clock }: RateLimitOptions): RateLimit {
  const blocked = new BlockedClients();
  const lookUps = new LookUps();
  const policies = { token: policyOf('token', limiters.token), address: policyOf('address', limiters.address) };
  let quietUntil = 0;

  /** Says, not too often, that the store is down: then nothing is counted. */
  function warn(error: unknown, { record }: CountedContext): undefined {
    const now = clock().getTime();
    if (now < quietUntil) return;
    quietUntil = now + logEvery;
    logger.warn({ ...record.identity, err: error }, 'the rate limit store is down; requests are not counted');
  }

  /** The failure of a request over a limit, which its response reports. */
  function overLimit({ responseHeaders }: CountedContext, limit: CountedLimit, wait: number): GraphQLError {
    responseHeaders['RateLimit-Policy'] = policies[limit];
    responseHeaders.RateLimit = leftOf(limit, 0, wait);
    return failure('RATE_LIMITED', { retryAfter: wholeSeconds(wait), limit });
  }

  /** Takes points, and reports what is left of them. Fails with 429 if there are not as many. */
  async function take(limit: CountedLimit, key: string, points: number, context: CountedContext): Promise<void> {
    const { responseHeaders, scope, client } = context;
    const limiter = limiters[limit];
    responseHeaders['RateLimit-Policy'] = policies[limit];
    const resultOf = (thrown: unknown) => (thrown instanceof RateLimiterRes ? thrown : Promise.reject(thrown));
    const result = await limiters
      .ask(scope, () => limiter.consume(key, points).catch(resultOf))
      .catch((error) => warn(error, context));
    if (!result) return;
    const { consumedPoints, msBeforeNext } = result;
    responseHeaders.RateLimit = leftOf(limit, limiter.points - consumedPoints, msBeforeNext);
    if (consumedPoints <= limiter.points) return;
    const wait = Math.max(1, msBeforeNext);
    const known = client[limit];
    if (known !== undefined) blocked.block(limit, known, wait);
    throw overLimit(context, limit, wait);
  }

  return {
    isOver: (client) =>
      blocked.limitOf(client) !== undefined ||
      (blocked.remaining('address', client.address) > 0 && !callers.lastPrincipalOf(client)),
    refusal(context, isCounted) {
      const { client } = context;
      const over = blocked.limitOf(client);
      if (!over || !isCounted()) return undefined;
      const actor = callers.lastPrincipalOf(client);
      // For the log.
      if (actor) context.record.actor = actor;
      return overLimit(context, over.limit, over.wait);
    },
    async charge(context, actor, points) {
      // A document that costs more than the limit takes all of it: it runs once in a window.
      const taken = Math.min(points, limiters.token.points - 1);
      if (taken > 0) await take('token', keyOf(actor), taken, context);
    },
    async count(context, check) {
      const { client } = context;
      const { address } = client;
      const block = callers.lastPrincipalOf(client) ? 0 : blocked.remaining('address', address);
      if (block > 0 && !(await lookUps.isAllowed(client))) throw overLimit(context, 'address', block);
      const outcome = await check().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      // An unexpected error is not the caller's fault, so it does not count.
      if ('error' in outcome && !(outcome.error instanceof GraphQLError)) throw outcome.error;
      // Before any other failure, so that a caller over the limit does not learn whether a token is valid.
      const actor = 'result' in outcome ? outcome.result?.actor : undefined;
      if (actor) await take('token', keyOf(actor), 1, context);
      else await take('address', address, 1, context);
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    },
  };
}

const keyOf = ({ companyId, tokenId }: Principal) => `${companyId} ${tokenId}`;
