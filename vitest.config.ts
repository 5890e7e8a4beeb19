import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** How many times longer than usual everything may take: `SLOW=3` for a machine that is slow, or has much else to do. */
const slow = Number(process.env.SLOW ?? 1);

/** What takes longest comes first among the proofs, so that no worker is alone with it at the end. */
const folders = ['browser', 'builds', 'faults', 'commands', 'serving', 'search'].map((name) => `/test/proofs/${name}/`);

/** The fast suite comes first: what it finds is known soonest. */
class SuiteOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => folders.findIndex((folder) => moduleId.includes(folder));
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  // Yoga and Pothos load the CommonJS graphql; a second copy would break instanceof.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts', ...(process.env.CITUS_URL ? ['tools/cluster/*.test.ts'] : [])],
    globalSetup: 'test/support/setup.ts',
    setupFiles: 'test/support/eachFile.ts',
    pool: 'threads',
    // The files of a worker share what they import, so that each worker loads the product once.
    isolate: false,
    // Many tests wait for a process or a limit of time; more than eight workers would use up the server's connections.
    maxWorkers: Math.min(2 * availableParallelism(), 8),
    sequence: { sequencer: SuiteOrder },
    // The proofs, which build, kill and install, have longer: test/support/eachFile.ts.
    testTimeout: 20_000 * slow,
    hookTimeout: 60_000 * slow,
    expect: { poll: { timeout: 5_000 * slow } },
  },
});
