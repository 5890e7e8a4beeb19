import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { failure } from '../errors.js';
import { clientAddress } from './clientAddress.js';
import type { RateLimiters } from './rateLimiters.js';
import type { RequestContext } from './route.js';

/** Lets a request in by `enter`, and counts it; fails with 429 when it is one too many. */
export type RateLimit = <Result>(
  request: Request,
  context: RequestContext,
  enter: () => Promise<Result>,
) => Promise<Result>;

interface Options {
  limiters: RateLimiters;
  /** Proxies in front whose `X-Forwarded-For` is believed. */
  trustedProxies: number;
  logger: Logger;
}

const logEvery = 10_000;

/**
 * Counts what has a valid token for the token, anything else for its address. An address over its limit is refused
 * before its token is looked up, unless that token was good a moment ago. Decisions: "Rate limit".
 */
export function rateLimit({ limiters, trustedProxies, logger }: Options): RateLimit {
  const blocked = new Recent();
  const good = new Recent();
  let quietUntil = 0;

  function tell(
    limiter: RateLimiterAbstract,
    name: string,
    { responseHeaders }: RequestContext,
    result?: RateLimiterRes,
  ) {
    responseHeaders['RateLimit-Policy'] = `"${name}";q=${limiter.points};w=${limiter.duration}`;
    if (!result) return;
    const remaining = Math.max(0, limiter.points - result.consumedPoints);
    responseHeaders.RateLimit = `"${name}";r=${remaining};t=${seconds(result.msBeforeNext)}`;
  }

  /** How many milliseconds to wait, if it is one too many. Fails open: a store that is down counts nothing. */
  async function count(name: 'token' | 'address', key: string, context: RequestContext): Promise<number | undefined> {
    const limiter = limiters[name];
    tell(limiter, name, context);
    try {
      tell(limiter, name, context, await limiter.consume(key));
    } catch (error) {
      if (error instanceof RateLimiterRes) {
        tell(limiter, name, context, error);
        return error.msBeforeNext;
      }
      if (Date.now() >= quietUntil)
        logger.error({ err: error }, 'the rate limit store is down; requests pass uncounted');
      quietUntil = Math.max(quietUntil, Date.now() + logEvery);
    }
    return undefined;
  }

  return async (request, context, enter) => {
    const address = clientAddress(request, context.req, trustedProxies);
    const credential = request.headers.get('authorization') ?? '';
    const block = good.left(credential) > 0 ? 0 : blocked.left(address);
    if (block > 0) {
      tell(limiters.address, 'address', context, new RateLimiterRes(0, block, limiters.address.points));
      throw tooMany(block);
    }
    const outcome = await enter().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    // A failure of ours is not the caller's doing.
    if ('error' in outcome && !(outcome.error instanceof GraphQLError)) throw outcome.error;
    const { actor } = context;
    const wait = actor ? await count('token', actor.tokenId, context) : await count('address', address, context);
    if (actor) good.keep(credential, limiters.address.duration * 1000);
    else if (wait !== undefined) blocked.keep(address, wait);
    // Instead of what went wrong otherwise: who is over the limit does not learn whether a token is good.
    if (wait !== undefined) throw tooMany(wait);
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  };
}

const seconds = (milliseconds: number) => Math.max(1, Math.ceil(milliseconds / 1000));

function tooMany(wait: number) {
  const retryAfter = seconds(wait);
  const detail = `Too many requests; try again in ${retryAfter} seconds`;
  return failure('RATE_LIMITED', detail, { retryAfter }, { 'Retry-After': String(retryAfter) });
}

const capacity = 10_000;

/** What was so a moment ago, and for how many milliseconds it still is; forgets the oldest first. */
class Recent {
  readonly #until = new Map<string, number>();

  keep(key: string, milliseconds: number): void {
    this.#until.delete(key);
    this.#until.set(key, Date.now() + milliseconds);
    const [oldest] = this.#until.keys();
    if (this.#until.size > capacity && oldest !== undefined) this.#until.delete(oldest);
  }

  left(key: string): number {
    const left = (this.#until.get(key) ?? 0) - Date.now();
    if (left <= 0) this.#until.delete(key);
    return left;
  }
}
