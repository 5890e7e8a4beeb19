export { Callers, type Client, clientAddress, type Principal } from './callers.js';
export { createRateLimiters, type RateLimit, type RateLimiters, rateLimit, rateLimitPoolSize } from './rateLimit.js';
