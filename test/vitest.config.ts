import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SuiteOrder } from './support/suiteOrder.js';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  // Yoga and Pothos load the CommonJS graphql; a second copy would break instanceof.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/setup.ts',
    setupFiles: 'test/support/eachFile.ts',
    pool: 'threads',
    // The files of a worker share what they import, so that each worker loads the product once.
    isolate: false,
    // Many tests wait for a process or a limit of time; more than eight workers would use up the server's connections.
    maxWorkers: Math.min(2 * availableParallelism(), 8),
    sequence: { sequencer: SuiteOrder },
    // Longer than a loaded machine needs: what is waited for is never a matter of luck.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
