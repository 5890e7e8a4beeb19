import { GraphQLError } from 'graphql';
import type { QueryConfig } from 'pg';
import type { Logger } from 'pino';
import {
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { Cache } from '../caching/index.js';
import { failure } from '../failures/index.js';
import type { RequestContext, RequestHead } from '../http/index.js';
import {
  type DatabaseTimeouts,
  openPool,
  type RequestScope,
  sendInTime,
  withShareOfDeadline,
} from '../postgres/index.js';
import { loggedIdentity } from '../telemetry/index.js';
import type { Callers, Client, Principal } from './callers.js';

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
  /** Counts in memory, whichever the store is: the work of a request is known only after its response, and nothing waits for the count. */
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
    ask: (whole, count) => withShareOfDeadline(whole, share, (scope) => sendInTime(scope, 'SELECT rate_limits', count)),
    close,
  };
}

interface Spent {
  milliseconds: number;
  /** When the window ends, as `performance.now` counts. */
  until: number;
}

const tokensKept = 10_000;

/** How much work each token may cause in a window, in milliseconds. It is counted when it is done. */
class WorkBudget {
  readonly #limiter: RateLimiterAbstract;
  readonly #spent = new Cache<string, Spent>(tokensKept);

  constructor(limiter: RateLimiterAbstract) {
    this.#limiter = limiter;
  }

  /** What is left, as this process knows it, and until when. */
  left(key: string): { milliseconds: number; endsIn: number } {
    const { milliseconds, until } = this.#spent.get(key) ?? { milliseconds: 0, until: 0 };
    const { points, duration } = this.#limiter;
    const endsIn = until - performance.now();
    if (endsIn > 0) return { milliseconds: Math.max(0, points - milliseconds), endsIn };
    return { milliseconds: points, endsIn: duration * 1000 };
  }

  async charge(key: string, milliseconds: number): Promise<void> {
    const { consumedPoints, msBeforeNext } = await this.#limiter.penalty(key, Math.ceil(milliseconds));
    this.#spent.set(key, { milliseconds: consumedPoints, until: performance.now() + msBeforeNext });
  }
}

/** In 10 seconds: of one address, and of all. */
const limits = { address: { points: 5, duration: 10 }, all: { points: 100, duration: 10 } };

/** How many unknown tokens are looked up although their address is over its limit. */
class LookUps {
  readonly #ofAddress = new RateLimiterMemory({ keyPrefix: 'address', ...limits.address });
  readonly #ofAll = new RateLimiterMemory({ keyPrefix: 'all', ...limits.all });

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

/** What is limited: the requests of a token, its work, or the requests of an address. */
type CountedLimit = 'token' | 'work' | 'address';

const maxBlocked = 10_000;
const newKeys = () => new Cache<string, true>(maxBlocked);

/** Which clients are over a limit, and for how long. */
class BlockedClients {
  readonly #keys = { token: newKeys(), work: newKeys(), address: newKeys() };

  block(limit: CountedLimit, key: string, milliseconds: number): void {
    this.#keys[limit].set(key, true, { ttl: Math.ceil(milliseconds) });
  }

  /** Milliseconds; 0 if it is not over the limit. */
  remaining(limit: CountedLimit, key: string): number {
    return Math.max(0, this.#keys[limit].getRemainingTTL(key));
  }

  /** The limit that the client is over, of its token or, if it has none, of its address. */
  limitOf({ token, address }: Client): { limit: CountedLimit; wait: number } | undefined {
    const limits = token === undefined ? (['address'] as const) : (['token', 'work'] as const);
    const waits = limits.map((limit) => ({ limit, wait: this.remaining(limit, token ?? address) }));
    return waits.find(({ wait }) => wait > 0);
  }
}

/** An item of the header `RateLimit-Policy`. */
const policyOf = (limit: CountedLimit, { points, duration }: { points: number; duration: number }): string =>
  `"${limit}";q=${points};w=${duration}`;

/** An item of the header `RateLimit`: what is left of a limit, and until when. */
const leftOf = (limit: CountedLimit, points: number, milliseconds: number): string =>
  `"${limit}";r=${Math.max(0, points)};t=${wholeSeconds(milliseconds)}`;

const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

export interface RateLimit {
  /**
   * The failure of a request whose token (or address, if it has no token) is known to be over its limit. It takes no seat,
   * no look-up and no count. `isCounted` says whether the limit applies to this request.
   */
  refusal(request: RequestHead, context: RequestContext, isCounted: () => boolean): GraphQLError | undefined;
  /** Runs `check` and counts the request, whatever the outcome. Fails with 429 if the request is over the limit. */
  count<Result>(request: RequestHead, context: RequestContext, check: () => Promise<Result>): Promise<Result>;
  /** Charges what a counted request has cost since the last call, once it has its response. */
  charge(context: RequestContext): void;
  /** Reports what is left of the limit without counting the request. */
  show(request: RequestHead, context: RequestContext): Promise<void>;
}

interface RateLimitOptions {
  limiters: RateLimiters;
  callers: Callers;
  logger: Logger;
  clock: () => Date;
}

const logEvery = 10_000;

/**
 * Counts a request for its token if that is valid, otherwise for its address. Of an address over its limit, tokens that
 * have been valid are looked up as ever, others a few at a time. Decisions: "Rate limit".
 */
export function rateLimit({ limiters, callers, logger, clock }: RateLimitOptions): RateLimit {
  const blocked = new BlockedClients();
  const lookUps = new LookUps();
  const work = limiters.work && new WorkBudget(limiters.work);
  const policyOfWork = limiters.work ? [policyOf('work', limiters.work)] : [];
  const policies = {
    token: [policyOf('token', limiters.token), ...policyOfWork].join(', '),
    address: policyOf('address', limiters.address),
  };
  let quietUntil = 0;

  /** Queries the store, reports the limit to the client, returns the milliseconds to wait: 0 if the store is down. */
  async function checkLimit(
    name: 'token' | 'address',
    context: RequestContext,
    query: (limiter: RateLimiterAbstract) => Promise<RateLimiterRes | null>,
  ): Promise<number> {
    const limiter = limiters[name];
    const { points, duration } = limiter;
    const { responseHeaders, scope } = context;
    responseHeaders['RateLimit-Policy'] = policies[name];
    try {
      const resultOf = (thrown: unknown) => (thrown instanceof RateLimiterRes ? thrown : Promise.reject(thrown));
      const { consumedPoints, msBeforeNext } =
        (await limiters.ask(scope, () => query(limiter).catch(resultOf))) ??
        new RateLimiterRes(points, duration * 1000, 0);
      responseHeaders.RateLimit = leftOf(name, points - consumedPoints, msBeforeNext);
      return consumedPoints > points ? Math.max(1, msBeforeNext) : 0;
    } catch (error) {
      const now = clock().getTime();
      if (now < quietUntil) return 0;
      quietUntil = now + logEvery;
      const line = { ...loggedIdentity(context), err: error };
      logger.error(line, 'the rate limit store is down; requests are not counted');
      return 0;
    }
  }

  const clientOf = (request: RequestHead, { client, req }: RequestContext) =>
    client ?? callers.clientOf(request, req?.socket.remoteAddress);

  /** Reports what is left of the work of a token, and returns the milliseconds to wait. */
  function checkWork(key: string, { responseHeaders }: RequestContext): number {
    if (!work) return 0;
    const { milliseconds, endsIn } = work.left(key);
    const shown = [responseHeaders.RateLimit, leftOf('work', milliseconds, endsIn)];
    responseHeaders.RateLimit = shown.filter((item) => item !== undefined).join(', ');
    return milliseconds > 0 ? 0 : Math.max(1, endsIn);
  }

  return {
    refusal(request, context, isCounted) {
      const client = clientOf(request, context);
      const over = blocked.limitOf(client);
      if (!over || !isCounted()) return undefined;
      const { limit, wait } = over;
      const actor = callers.lastPrincipalOf(client);
      // For the log.
      if (actor) context.actor = actor;
      const { responseHeaders } = context;
      responseHeaders['RateLimit-Policy'] = policies[limit === 'address' ? limit : 'token'];
      responseHeaders.RateLimit = leftOf(limit, 0, wait);
      return overLimit(limit, wait);
    },
    charge({ actor, record }) {
      // A primary process that does not respond to its worker is not the request's fault.
      if (!actor || !record || record.work === record.chargedWork) return;
      work?.charge(keyOf(actor), record.work - record.chargedWork).catch(() => {});
      record.chargedWork = record.work;
    },
    async count(request, context, check) {
      const client = clientOf(request, context);
      const { address, token } = client;
      const block = callers.lastPrincipalOf(client) ? 0 : blocked.remaining('address', address);
      if (block > 0 && !(await lookUps.isAllowed(client))) {
        await checkLimit('address', context, async ({ points }) => new RateLimiterRes(0, block, points));
        throw overLimit('address', block);
      }
      const outcome = await check().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      // An unexpected error is not the caller's fault, so it does not count.
      if ('error' in outcome && !(outcome.error instanceof GraphQLError)) throw outcome.error;
      const { actor } = context;
      const [limit, key] = actor ? (['token', keyOf(actor)] as const) : (['address', address] as const);
      const wait = await checkLimit(limit, context, (limiter) => limiter.consume(key));
      const workWait = actor ? checkWork(keyOf(actor), context) : 0;
      if (wait > 0 && !actor) blocked.block('address', address, wait);
      if (wait > 0 && token && actor) blocked.block('token', token, wait);
      if (workWait > 0 && token) blocked.block('work', token, workWait);
      // Before any other failure, so that a caller over the limit does not learn whether a token is valid.
      if (wait > 0) throw overLimit(limit, wait);
      if (workWait > 0) throw overLimit('work', workWait);
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    },
    async show(request, context) {
      const { address } = clientOf(request, context);
      await checkLimit('address', context, (limiter) => limiter.get(address));
    },
  };
}

const keyOf = ({ companyId, tokenId }: Principal) => `${companyId} ${tokenId}`;

const overLimit = (limit: CountedLimit, wait: number) =>
  failure('RATE_LIMITED', { retryAfter: wholeSeconds(wait), limit });
