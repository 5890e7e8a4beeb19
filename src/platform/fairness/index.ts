/** Admits requests, and logs how many it refuses once a second: a line for each would itself be load. */
/** The slot of one request that was admitted. A client that sends its body slowly holds no slot meanwhile. */
/** Memory for the bodies that are being received, unless a few of the largest need more. */
export { leastBodyBytes, Overload, Slot } from './admission.js';
export type { Release } from './connectionShares.js';
/** The connections of a pool, which callers share: each statement or transaction takes one, and waits until it may. */
export { ConnectionShares } from './connectionShares.js';
/**
 * A process builds one long response at a time: together they would take more memory than there is, and keep everybody
 * else waiting. Callers take turns. Decisions: "Query cost".
 */
export { LongResponses } from './longResponses.js';
export type { Caller } from './shares.js';
/** The gateway itself, such as its health checks. It needs little, so that nobody keeps slots free for it. */
export { nobody } from './shares.js';
