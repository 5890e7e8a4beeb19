import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { failure } from '../../errors/failures.js';
import type { Actor } from '../../policies/access.js';
import { loggedIdentity } from '../../telemetry/requestRecord.js';
import type { RequestHead } from '../requestHead.js';
import type { RequestContext } from '../route.js';
import type { Callers, Client } from './callers.js';
import { ExpiringKeys } from './expiringKeys.js';
import type { RateLimiters } from './rateLimiters.js';
import { WorkBudget } from './workBudget.js';

export interface RateLimit {
  /**
   * How a request fails whose token, or without one whose address, is known to be over its limit: without a slot, look-up
   * or count. `isCounted` says whether the limit is for this request.
   */
  refusal(request: RequestHead, context: RequestContext, isCounted: () => boolean): GraphQLError | undefined;
  /** Runs `check` and counts the request, whatever the outcome. Fails with 429 if the request is over the limit. */
  count<Result>(request: RequestHead, context: RequestContext, check: () => Promise<Result>): Promise<Result>;
  /** Counts what a request that was counted has cost since the last time, once it is answered. */
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

/** Unknown tokens that are looked up, in 10 seconds, although their address is over its limit: of one, and of all. */
const lookUps = { address: { points: 5, duration: 10 }, all: { points: 100, duration: 10 } };

/**
 * Counts a request for its token if that is valid, otherwise for its address. Of an address over its limit, tokens that
 * have been valid are looked up as ever, others a few at a time. Decisions: "Rate limit".
 */
export function rateLimit({ limiters, callers, logger, clock }: RateLimitOptions): RateLimit {
  const blockedAddresses = new ExpiringKeys();
  const blockedTokens = { token: new ExpiringKeys(), work: new ExpiringKeys() };
  const work = limiters.work && new WorkBudget(limiters.work);
  const lookUpsOfAddress = new RateLimiterMemory({ keyPrefix: 'address', ...lookUps.address });
  const lookUpsOfAll = new RateLimiterMemory({ keyPrefix: 'all', ...lookUps.all });
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
    showPolicy(name, responseHeaders);
    try {
      const overLimit = (thrown: unknown) => (thrown instanceof RateLimiterRes ? thrown : Promise.reject(thrown));
      const { consumedPoints, msBeforeNext } =
        (await limiters.ask(scope, () => query(limiter).catch(overLimit))) ??
        new RateLimiterRes(points, duration * 1000, 0);
      responseHeaders.RateLimit = left(name, points - consumedPoints, msBeforeNext);
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

  function showPolicy(name: 'token' | 'address', headers: Record<string, string>): void {
    const { points, duration } = limiters[name];
    const policies = [`"${name}";q=${points};w=${duration}`];
    if (name === 'token' && work) policies.push(`"work";q=${work.most};w=${work.windowSeconds}`);
    headers['RateLimit-Policy'] = policies.join(', ');
  }

  /** Reports what is left of the work of a token, and returns the milliseconds to wait. */
  function checkWork(key: string, { responseHeaders }: RequestContext): number {
    if (!work) return 0;
    const { milliseconds, endsIn } = work.left(key);
    const shown = [responseHeaders.RateLimit, left('work', milliseconds, endsIn)];
    responseHeaders.RateLimit = shown.filter((item) => item !== undefined).join(', ');
    return milliseconds > 0 ? 0 : Math.max(1, endsIn);
  }

  async function mayLookUp({ token, address }: Client): Promise<boolean> {
    if (!token) return false;
    try {
      await lookUpsOfAddress.consume(address);
      await lookUpsOfAll.consume('');
      return true;
    } catch {
      return false;
    }
  }

  /** Which limit the client is known to be over, and for how long. */
  function knownOver({ token, address }: Client) {
    if (token === undefined) {
      const wait = blockedAddresses.remaining(address);
      return { over: wait > 0 ? ('address' as const) : undefined, wait };
    }
    const over = (['token', 'work'] as const).find((name) => blockedTokens[name].remaining(token) > 0);
    return { over, wait: over ? blockedTokens[over].remaining(token) : 0 };
  }

  return {
    refusal(request, context, isCounted) {
      const client = clientOf(request, context);
      const { over, wait } = knownOver(client);
      if (!over || !isCounted()) return undefined;
      const actor = callers.lastActorOf(client);
      // For the log.
      if (actor) context.actor = actor;
      showPolicy(over === 'address' ? over : 'token', context.responseHeaders);
      context.responseHeaders.RateLimit = left(over, 0, wait);
      return failure('RATE_LIMITED', { retryAfter: seconds(wait), limit: over });
    },
    charge({ actor, record }) {
      // A primary process that does not answer its worker is not the request's fault.
      if (!actor || !record || record.work === record.chargedWork) return;
      work?.charge(keyOf(actor), record.work - record.chargedWork).catch(() => {});
      record.chargedWork = record.work;
    },
    async count(request, context, check) {
      const client = clientOf(request, context);
      const { address, token } = client;
      const block = callers.lastActorOf(client) ? 0 : blockedAddresses.remaining(address);
      if (block > 0 && !(await mayLookUp(client))) {
        await checkLimit('address', context, async ({ points }) => new RateLimiterRes(0, block, points));
        throw failure('RATE_LIMITED', { retryAfter: seconds(block), limit: 'address' });
      }
      const outcome = await check().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      // An unexpected error is not the caller's fault, so it does not count.
      if ('error' in outcome && !(outcome.error instanceof GraphQLError)) throw outcome.error;
      const { actor } = context;
      const wait = actor
        ? await checkLimit('token', context, (limiter) => limiter.consume(keyOf(actor)))
        : await checkLimit('address', context, (limiter) => limiter.consume(address));
      const workWait = actor ? checkWork(keyOf(actor), context) : 0;
      if (wait > 0 && !actor) blockedAddresses.add(address, wait);
      if (wait > 0 && token && actor) blockedTokens.token.add(token, wait);
      if (workWait > 0 && token) blockedTokens.work.add(token, workWait);
      // Before any other failure, so that a caller over the limit does not learn whether a token is valid.
      if (wait > 0) throw failure('RATE_LIMITED', { retryAfter: seconds(wait), limit: actor ? 'token' : 'address' });
      if (workWait > 0) throw failure('RATE_LIMITED', { retryAfter: seconds(workWait), limit: 'work' });
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    },
    async show(request, context) {
      const { address } = clientOf(request, context);
      await checkLimit('address', context, (limiter) => limiter.get(address));
    },
  };
}

const keyOf = ({ companyId, tokenId }: Actor) => `${companyId} ${tokenId}`;

const left = (name: string, points: number, milliseconds: number) =>
  `"${name}";r=${Math.max(0, points)};t=${seconds(milliseconds)}`;

const seconds = (milliseconds: number) => Math.max(1, Math.ceil(milliseconds / 1000));
