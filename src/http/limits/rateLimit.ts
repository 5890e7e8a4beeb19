import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { failure } from '../../errors/failures.js';
import type { RequestHead } from '../requestHead.js';
import type { RequestContext } from '../route.js';
import { clientAddress } from './clientAddress.js';
import { ExpiringKeys } from './expiringKeys.js';
import type { RateLimiters } from './rateLimiters.js';

export interface RateLimit {
  /** Runs `check` and counts the request, whatever the outcome. Fails with 429 if the request is over the limit. */
  count<Result>(request: RequestHead, context: RequestContext, check: () => Promise<Result>): Promise<Result>;
  /** Reports what is left of the limit without counting the request. */
  show(request: RequestHead, context: RequestContext): Promise<void>;
}

interface RateLimitOptions {
  limiters: RateLimiters;
  /** Number of proxies in front of the gateway whose `X-Forwarded-For` is trusted. */
  trustedProxies: number;
  logger: Logger;
  clock: () => Date;
}

const logEvery = 10_000;

/**
 * Counts a request for its token if that is valid, otherwise for its address. Requests of an address over its limit are
 * rejected before their token is looked up, unless it was valid a moment ago. Decisions: "Rate limit".
 */
export function rateLimit({ limiters, trustedProxies, logger, clock }: RateLimitOptions): RateLimit {
  const blockedAddresses = new ExpiringKeys(clock);
  const validCredentials = new ExpiringKeys(clock);
  let quietUntil = 0;

  /** Queries the store, reports the limit to the client, returns the milliseconds to wait: 0 if the store is down. */
  async function checkLimit(
    name: 'token' | 'address',
    { responseHeaders }: RequestContext,
    query: (limiter: RateLimiterAbstract) => Promise<RateLimiterRes | null>,
  ): Promise<number> {
    const limiter = limiters[name];
    const { points, duration } = limiter;
    responseHeaders['RateLimit-Policy'] = `"${name}";q=${points};w=${duration}`;
    try {
      const overLimit = (thrown: unknown) => (thrown instanceof RateLimiterRes ? thrown : Promise.reject(thrown));
      const { consumedPoints, msBeforeNext } =
        (await query(limiter).catch(overLimit)) ?? new RateLimiterRes(points, duration * 1000, 0);
      responseHeaders.RateLimit = `"${name}";r=${Math.max(0, points - consumedPoints)};t=${seconds(msBeforeNext)}`;
      return consumedPoints > points ? Math.max(1, msBeforeNext) : 0;
    } catch (error) {
      const now = clock().getTime();
      if (now < quietUntil) return 0;
      quietUntil = now + logEvery;
      logger.error({ err: error }, 'the rate limit store is down; requests are not counted');
      return 0;
    }
  }

  const addressOf = ({ headers }: RequestHead, { req }: RequestContext) =>
    clientAddress({ peer: req?.socket.remoteAddress, forwardedFor: headers.get('x-forwarded-for') }, trustedProxies);

  return {
    async count(request, context, check) {
      const address = addressOf(request, context);
      // Only the token, which is short if it is valid: the rest of the header is up to the caller.
      const credential = (request.headers.get('authorization') ?? '').replace(/^bearer +/i, '');
      const block = validCredentials.remaining(credential) > 0 ? 0 : blockedAddresses.remaining(address);
      if (block > 0) {
        await checkLimit('address', context, async ({ points }) => new RateLimiterRes(0, block, points));
        throw failure('RATE_LIMITED', { retryAfter: seconds(block) });
      }
      const outcome = await check().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      // An unexpected error is not the caller's fault, so it does not count.
      if ('error' in outcome && !(outcome.error instanceof GraphQLError)) throw outcome.error;
      const { actor } = context;
      const wait = actor
        ? await checkLimit('token', context, (limiter) => limiter.consume(`${actor.companyId} ${actor.tokenId}`))
        : await checkLimit('address', context, (limiter) => limiter.consume(address));
      if (actor) validCredentials.add(credential, limiters.address.duration * 1000);
      else if (wait > 0) blockedAddresses.add(address, wait);
      // Before any other failure, so that a caller over the limit does not learn whether a token is valid.
      if (wait > 0) throw failure('RATE_LIMITED', { retryAfter: seconds(wait) });
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    },
    async show(request, context) {
      const address = addressOf(request, context);
      await checkLimit('address', context, (limiter) => limiter.get(address));
    },
  };
}

const seconds = (milliseconds: number) => Math.max(1, Math.ceil(milliseconds / 1000));
