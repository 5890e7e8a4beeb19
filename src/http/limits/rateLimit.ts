import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { failure } from '../../errors/failures.js';
import type { RequestContext } from '../route.js';
import { clientAddress } from './clientAddress.js';
import { ExpiringKeys } from './expiringKeys.js';
import type { RateLimiters } from './rateLimiters.js';

export interface RateLimit {
  /** Lets a request in by `enter`, and counts it; fails with 429 when it is one too many. */
  count<Result>(request: Request, context: RequestContext, enter: () => Promise<Result>): Promise<Result>;
  /** Tells what is left, and counts nothing. */
  show(request: Request, context: RequestContext): Promise<void>;
}

interface RateLimitOptions {
  limiters: RateLimiters;
  /** Proxies in front whose `X-Forwarded-For` is believed. */
  trustedProxies: number;
  logger: Logger;
  clock: () => Date;
}

const logEvery = 10_000;

/**
 * Counts what has a valid token for the token, anything else for its address. An address over its limit is refused
 * before its token is looked up, unless that token was good a moment ago. Decisions: "Rate limit".
 */
export function rateLimit({ limiters, trustedProxies, logger, clock }: RateLimitOptions): RateLimit {
  const blocked = new ExpiringKeys(clock);
  const good = new ExpiringKeys(clock);
  let quietUntil = 0;

  /** Asks the store, tells the client what it said, and gives the milliseconds to wait. Fails open: 0 when it is down. */
  async function ask(
    name: 'token' | 'address',
    { responseHeaders }: RequestContext,
    question: (limiter: RateLimiterAbstract) => Promise<RateLimiterRes | null>,
  ): Promise<number> {
    const limiter = limiters[name];
    const { points, duration } = limiter;
    responseHeaders['RateLimit-Policy'] = `"${name}";q=${points};w=${duration}`;
    try {
      const refused = (thrown: unknown) => (thrown instanceof RateLimiterRes ? thrown : Promise.reject(thrown));
      const { consumedPoints, msBeforeNext } =
        (await question(limiter).catch(refused)) ?? new RateLimiterRes(points, duration * 1000, 0);
      responseHeaders.RateLimit = `"${name}";r=${Math.max(0, points - consumedPoints)};t=${seconds(msBeforeNext)}`;
      return consumedPoints > points ? Math.max(1, msBeforeNext) : 0;
    } catch (error) {
      const now = clock().getTime();
      if (now < quietUntil) return 0;
      quietUntil = now + logEvery;
      logger.error({ err: error }, 'the rate limit store is down; requests pass uncounted');
      return 0;
    }
  }

  return {
    async count(request, context, enter) {
      const address = clientAddress(request, context.req, trustedProxies);
      const credential = request.headers.get('authorization') ?? '';
      const block = good.remaining(credential) > 0 ? 0 : blocked.remaining(address);
      if (block > 0) {
        await ask('address', context, async ({ points }) => new RateLimiterRes(0, block, points));
        throw failure('RATE_LIMITED', { retryAfter: seconds(block) });
      }
      const outcome = await enter().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      // A failure of ours is not the caller's doing.
      if ('error' in outcome && !(outcome.error instanceof GraphQLError)) throw outcome.error;
      const { actor } = context;
      const wait = actor
        ? await ask('token', context, (limiter) => limiter.consume(actor.tokenId))
        : await ask('address', context, (limiter) => limiter.consume(address));
      if (actor) good.add(credential, limiters.address.duration * 1000);
      else if (wait > 0) blocked.add(address, wait);
      // Instead of what went wrong otherwise: who is over the limit does not learn whether a token is good.
      if (wait > 0) throw failure('RATE_LIMITED', { retryAfter: seconds(wait) });
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    },
    async show(request, context) {
      const address = clientAddress(request, context.req, trustedProxies);
      await ask('address', context, (limiter) => limiter.get(address));
    },
  };
}

const seconds = (milliseconds: number) => Math.max(1, Math.ceil(milliseconds / 1000));
