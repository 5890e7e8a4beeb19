/**
 * Whose request it is, as long as nothing is looked up: that of a token that has been valid, and of its company; else
 * that of an address. Made-up tokens so get no share of their own.
 */

export type { Client } from './callers.js';
export { Callers, clientAddress } from './callers.js';
export type { RateLimit } from './rateLimit.js';
/**
 * Counts a request for its token if that is valid, otherwise for its address. Of an address over its limit, tokens that
 * have been valid are looked up as ever, others a few at a time. Decisions: "Rate limit".
 */
export { rateLimit } from './rateLimit.js';
export type { RateLimiters } from './rateLimiters.js';
/** Creates the limiters, which count in fixed windows: requests of each token and of each address, and work. */
/** Connections that the store in Postgres uses. */
export { createRateLimiters, rateLimitPoolSize } from './rateLimiters.js';
