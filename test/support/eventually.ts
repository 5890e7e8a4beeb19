import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** For how long a test waits for what must happen, in milliseconds: vitest.config.ts. */
    patience: number;
  }
}

/** Programs of tools/ and bench/ use what tests use, and have no run of tests to ask. */
export const patience = (): number => (process.env.VITEST ? inject('patience') : 60_000);

/** Tries the work again until it succeeds; fails as the last attempt did. What starts a process takes several times as long. */
export async function eventually<T>(work: () => T | Promise<T>, { interval = 20, times = 1 } = {}): Promise<T> {
  for (const end = performance.now() + times * patience(); ; await sleep(interval)) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}
