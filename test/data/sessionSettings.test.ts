import { expect, onTestFinished, test } from 'vitest';
import { openModels } from '../../src/database.js';
import { usesPgbouncer } from '../support/pgbouncer.js';
import { createWorld } from '../support/world.js';

const world = await createWorld({ isAlone: true });

// PgBouncer hands on neither setting.
test.skipIf(usesPgbouncer)('a statement is neither compiled nor split, whatever role and database prefer', async () => {
  const { pathname, username } = new URL(world.url);
  const database = pathname.slice(1);
  for (const whose of [`DATABASE ${database}`, `ROLE ${username} IN DATABASE ${database}`]) {
    await world.sql(`ALTER ${whose} SET jit = on`);
    await world.sql(`ALTER ${whose} SET max_parallel_workers_per_gather = 4`);
  }
  const db = openModels({ url: world.url, poolSize: 1, preparedStatements: true });
  onTestFinished(() => db.$disconnect());
  expect(
    await db.$queryRaw`
    SELECT current_setting('jit') AS jit, current_setting('max_parallel_workers_per_gather') AS workers
  `,
  ).toEqual([{ jit: 'off', workers: '0' }]);
});
