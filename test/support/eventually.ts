import { inject, vi } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** For how long a test waits for what must happen, in milliseconds: vitest.config.ts. */
    patience: number;
  }
}

/** Tries the work again until it succeeds, for longer than a loaded machine needs; fails as the last attempt did. */
export const eventually = <T>(work: () => T | Promise<T>, { interval = 20 } = {}): Promise<T> =>
  vi.waitFor(work, { timeout: inject('patience'), interval });
