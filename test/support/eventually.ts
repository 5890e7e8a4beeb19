import { inject, vi } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** For how long a test waits for what must happen, in milliseconds: vitest.config.ts. */
    patience: number;
  }
}

/** Tries the work again until it succeeds; fails as the last attempt did. What starts a process takes several times as long. */
export const eventually = <T>(work: () => T | Promise<T>, { interval = 20, times = 1 } = {}): Promise<T> =>
  vi.waitFor(work, { timeout: times * inject('patience'), interval });
