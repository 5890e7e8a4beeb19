import { setTimeout as sleep } from 'node:timers/promises';
import { inject, vi } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** For how long a test waits for what must happen, in milliseconds: vitest.config.ts. */
    patience: number;
  }
}

/** Benchmarks use what tests use, and have none of what vitest provides. */
const isTest = process.env.VITEST !== undefined;

export const patience = (): number => (isTest ? inject('patience') : 5_000);

/** Tries the work again until it succeeds; fails as the last attempt did. What starts a process takes several times as long. */
export async function eventually<T>(work: () => T | Promise<T>, { interval = 20, times = 1 } = {}): Promise<T> {
  const timeout = times * patience();
  if (isTest) return vi.waitFor(work, { timeout, interval });
  for (const end = performance.now() + timeout; ; await sleep(interval)) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}
