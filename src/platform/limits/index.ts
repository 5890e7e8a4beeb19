export type { Client, Principal } from './callers.js';
export {
  /** Whose request it is, as long as nothing is looked up: that of a token that has been valid, and of its company; else that of an address. */
  Callers,
  /** The address of a client: the peer, or what the last `trustedProxies` proxies report. */
  clientAddress,
} from './callers.js';
export type { RateLimit, RateLimiters } from './rateLimit.js';
export {
  /** Creates the limiters, which count in fixed windows: requests of each token and of each address, and work. */
  createRateLimiters,
  /** Counts a request for its token if that is valid, otherwise for its address. */
  rateLimit,
  /** Connections that the store in Postgres uses. */
  rateLimitPoolSize,
} from './rateLimit.js';
