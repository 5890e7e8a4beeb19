import { expect, onTestFinished, test, vi } from 'vitest';
import { openModels, type Transaction } from '../../../src/database.js';
import { preparedStatements } from '../../support/pgbouncer.js';
import { temporaryDatabase } from '../../support/temporary.js';

const { url } = await temporaryDatabase();

const columns = ['id', 'name', 'description', 'insertedAt', 'updatedAt', 'closedAt', 'success', 'archivedAt'];

/** Reads these columns of goals and of their parents, and who may see them. */
async function read(client: Transaction, chosen: string[], depth = 0): Promise<void> {
  const selection = (level: number): object => ({
    ...Object.fromEntries(chosen.map((column) => [column, true])),
    ...(level > 0 && {
      access: { select: { level: true } },
      space: { select: { access: { select: { level: true } } } },
      parentGoal: { select: selection(level - 1) },
    }),
  });
  expect(await client.goal.findMany({ select: selection(depth), where: { companyId: 'none' } })).toEqual([]);
}

/** What the client has prepared on its one connection. */
const preparedBy = async (client: Transaction) => {
  const rows = await client.$queryRaw<{ statement: string }[]>`
    SELECT statement FROM pg_prepared_statements WHERE name <> '' AND statement LIKE 'SELECT json_build_array%'`;
  return rows.map(({ statement }) => statement);
};

test.skipIf(!preparedStatements)(
  'prepared statements take little memory of the server, whatever callers make up; what is in use an hour later is prepared again',
  async () => {
    const client = openModels({ url, poolSize: 1, preparedStatements }).within(undefined);
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => {
      now.mockRestore();
      return client.$disconnect();
    });
    for (let bits = 1; bits < 2 ** columns.length; bits += 1) {
      const chosen = columns.filter((_, index) => bits & (1 << index));
      // From the sixth time on, the server may keep a plan for all values.
      for (let time = 1; time <= 8; time += 1) await read(client, chosen, 3);
    }
    const [used] = await client.$queryRaw<{ megabytes: number }[]>`
    SELECT sum(total_bytes)::float / 1e6 AS megabytes FROM pg_backend_memory_contexts`;
    expect(used?.megabytes).toBeLessThan(130);
    const preparedAfterUse = async () => {
      for (let time = 1; time <= 3; time += 1) await read(client, ['name', 'id'], 3);
      return (await preparedBy(client)).length;
    };
    expect(await preparedAfterUse()).toBeGreaterThan(50);
    now.mockReturnValue(performance.now() + 3_600_000);
    expect(await preparedAfterUse()).toBe(1);
  },
);
