import { vi } from 'vitest';

/** Tries the work again until it succeeds, for longer than a loaded machine needs; fails as the last attempt did. */
export const eventually = <T>(work: () => T | Promise<T>, { interval = 20 } = {}): Promise<T> =>
  vi.waitFor(work, { timeout: 60_000, interval });
