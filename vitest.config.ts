import { availableParallelism, loadavg } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * How many times longer than usual everything may take: `SLOW=3` for a machine that is slow. By itself it is how many
 * processes wait for each processor as the run starts.
 */
const slow = Number(process.env.SLOW ?? Math.max(1, Math.ceil((loadavg()[0] ?? 0) / availableParallelism())));

/** What takes longest comes first among the proofs, so that no worker is alone with it at the end. */
const folders = ['browser', 'builds', 'faults', 'commands', 'serving', 'search'].map((name) => `/test/proofs/${name}/`);

/** The fast suite comes first: what it finds is known soonest. */
class SuiteOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => folders.findIndex((folder) => moduleId.includes(folder));
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

const shared = {
  globalSetup: 'test/support/setup.ts',
  setupFiles: 'test/support/eachFile.ts',
  pool: 'threads',
  // The files of a worker share what they import, so that each worker loads the product once.
  isolate: false,
} as const;

/** The limits of a project: for a test, for what comes before and after, and for what a test waits for. */
const limits = (test: number, hook: number, poll: number) => ({
  testTimeout: test * slow,
  hookTimeout: hook * slow,
  expect: { poll: { timeout: poll * slow } },
  provide: { patience: poll * slow },
});

export default defineConfig({
  // Yoga and Pothos load the CommonJS graphql; a second copy would break instanceof.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    // Many tests wait for a process or a limit of time; more than eight workers would use up the server's connections.
    maxWorkers: Math.min(2 * availableParallelism(), 8),
    sequence: { sequencer: SuiteOrder },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          ...limits(20_000, 60_000, 5_000),
          name: 'product',
          env: { SHARED_DATABASE: 'on' },
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/proofs/**'],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          // They build, install, kill and wait for what comes back.
          ...limits(240_000, 240_000, 60_000),
          name: 'proofs',
          include: ['test/proofs/**/*.test.ts', ...(process.env.CITUS_URL ? ['tools/cluster/*.test.ts'] : [])],
        },
      },
    ],
  },
});
