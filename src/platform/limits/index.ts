export type { Client, Principal } from './callers.js';
export {
  /** Says whose request it is before anything is looked up: a known token's and its company's, else an address's. */
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
