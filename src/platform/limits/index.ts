export type { Client, Principal } from './callers.js';
export {
  /** Whose request it is, as long as nothing is looked up: that of a token that has been valid, and of its company; else that of an address. */
  Callers,
  /** The address of a client: the peer, or what the last `trustedProxies` proxies report. */
  clientAddress,
} from './callers.js';
export type { RateLimit } from './rateLimit.js';
export {
  /** Counts a request for its token if that is valid, otherwise for its address. */
  rateLimit,
} from './rateLimit.js';
export type { RateLimiters } from './rateLimiters.js';
export {
  /** Creates the limiters, which count in fixed windows: requests of each token and of each address, and work. */
  createRateLimiters,
  /** Connections that the store in Postgres uses. */
  rateLimitPoolSize,
} from './rateLimiters.js';
