import type { CountedLimit } from './blockedClients.js';

/** An item of the header `RateLimit-Policy`. */
export const policyOf = (limit: CountedLimit, { points, duration }: { points: number; duration: number }): string =>
  `"${limit}";q=${points};w=${duration}`;

/** An item of the header `RateLimit`: what is left of a limit, and until when. */
export const leftOf = (limit: CountedLimit, points: number, milliseconds: number): string =>
  `"${limit}";r=${Math.max(0, points)};t=${wholeSeconds(milliseconds)}`;

export const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
