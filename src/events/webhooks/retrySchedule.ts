const minute = 60;
const hour = 60 * minute;

/** Seconds from each failure of an event to its next attempt. After the last one it is given up. */
const pauses = [5, minute, 10 * minute, hour, 4 * hour, 12 * hour, 24 * hour, 24 * hour];

/** Seconds for which an endpoint that only fails waits as a whole: the first, the second and every further time. */
const waits = [10, minute, 10 * minute];

/** An endpoint that has failed for five days has waited at least that often. A clock that was set has not. */
export const waitsInFiveDays = 100;

/** Failures in a row after which the endpoint waits as a whole. */
export const failuresBeforeWaiting = 5;

/** The longest that a `Retry-After` is obeyed, in seconds. */
export const longestRetryAfter = hour;

/** The longest that a request is under way, or an attempt that was taken counts as such, in seconds. */
export const inFlight = 20;

/** The most seconds to the next attempt, by the number of failures from 0. */
export const longestPauses = [0, ...pauses].map((pause) => Math.max(1.2 * pause, inFlight));

/** Apart by a fifth, so that what failed together does not come together again. */
const spread = (seconds: number) => seconds * (0.8 + 0.4 * Math.random());

/** Seconds until the next attempt after that many failures; undefined if it is given up. */
export function pauseAfter(failures: number): number | undefined {
  const pause = pauses[failures - 1];
  return pause === undefined ? undefined : spread(pause);
}

/** Seconds for which the endpoint waits, after it has waited that many times. */
export const waitAfter = (times: number): number => spread(waits[Math.min(times, waits.length - 1)] ?? 0);
