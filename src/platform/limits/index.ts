export { Callers, type Client, type Principal } from './callers.js';
export { complexityOfPoint, LongRequest, ReadTooMuch } from './longRequest.js';
export { type Caller, type Decision, FairQueue } from './queue.js';
export { createRateLimiters, type RateLimit, type RateLimiters, rateLimit, rateLimitPoolSize } from './rateLimit.js';
