import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PrismaClient } from '../../src/database/generated/client/client.js';
import { adapterOf } from '../../src/database/query/adapter.js';
import { openClient } from '../../src/database/query/client.js';
import { openPool } from '../../src/database/query/pool.js';
import { databaseOn, type Transaction, transactionOn } from '../../src/database/query/reader/database.js';
import { transact } from '../../src/database/query/reader/transact.js';
import { statementNames } from '../../src/database/query/statementNames.js';
import { createDatabase } from '../support/database.js';
import { preparedStatements, usesPgbouncer } from '../support/pgbouncer.js';

type Client = PrismaClient | Transaction;

const { url, drop } = await createDatabase();
afterAll(drop);

/** A client of Prisma and its connections for a reader. */
function open(to: string, options: Parameters<typeof adapterOf>[1] = {}) {
  const { factory, connections } = adapterOf(openPool({ url: to, size: 1, name: 'reader' }), options);
  return { prisma: new PrismaClient({ adapter: factory, errorFormat: 'minimal' }), connections };
}

const names = { select: { name: true, space: { select: { name: true } } }, where: { companyId: 'c' } };

describe('a read that fails', () => {
  const { prisma, connections } = open(url);
  afterAll(() => prisma.$disconnect());

  test.each([
    ['a table is missing', 'ALTER TABLE spaces RENAME TO places', '42P01'],
    ['a column is missing', 'ALTER TABLE spaces RENAME name TO title', '42703'],
    ['the role may not', 'CREATE ROLE goalpost_nobody; SET LOCAL ROLE goalpost_nobody', '42501'],
  ])('because %s has the code of PostgreSQL', async (_, statement, code) => {
    const failing = transact(connections.within(undefined), 5_000, async (connection, open) => {
      await open().$executeRawUnsafe(statement);
      await transactionOn(connection, open).goal.findMany(names);
    });
    await expect(failing).rejects.toMatchObject({ name: 'StatementFailure', code });
  });

  // PgBouncer is told to ignore the time limits of a connection.
  test.skipIf(usesPgbouncer)('because a lock is held has the code of PostgreSQL', async () => {
    const waiting = new URL(url);
    waiting.searchParams.set('options', '-c lock_timeout=50');
    const { prisma: late, connections: lateConnections } = open(waiting.href);
    await prisma.$transaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE goals`;
      await expect(databaseOn(late, lateConnections).goal.findMany(names)).rejects.toMatchObject({ code: '55P03' });
    });
    await late.$disconnect();
  });

  test('because there is no server says so', async () => {
    const { prisma: nowhere, connections: to } = open('postgresql://nobody@127.0.0.1:1/none');
    const failing = databaseOn(nowhere, to).goal.findMany(names);
    await expect(failing).rejects.toMatchObject({ kind: 'DatabaseNotReachable' });
    await nowhere.$disconnect();
  });
});

describe.skipIf(!preparedStatements)('prepared statements', () => {
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
  const preparedBy = async (client: Client) => {
    const rows = await client.$queryRaw<{ statement: string }[]>`
      SELECT statement FROM pg_prepared_statements WHERE name <> '' AND statement LIKE 'SELECT json_build_array%'`;
    return rows.map(({ statement }) => statement);
  };

  test.each([
    ['in number', 5, 1_000],
    ['in characters', 100, 300],
  ])('are limited %s; what is read beyond is not prepared', async (_, most, characters) => {
    const { nameOf: statementNameGenerator } = statementNames(() => {}, most, characters);
    const { prisma, connections } = open(url, { statementNameGenerator });
    const reading = databaseOn(prisma, connections);
    for (const column of [...columns, ...columns]) await read(reading, [column]);
    const prepared = await preparedBy(prisma);
    expect(prepared.length).toBeLessThanOrEqual(most);
    expect(prepared.join('').length).toBeLessThanOrEqual(characters);
    expect(prepared.length).toBeGreaterThan(1);
    await prisma.$disconnect();
  });

  test('are those that are used again', async () => {
    const client = openClient({ url, poolSize: 1, preparedStatements });
    onTestFinished(() => client.$disconnect());
    await read(client, ['id']);
    expect(await preparedBy(client)).toEqual([]);
    await read(client, ['id']);
    expect(await preparedBy(client)).toHaveLength(1);
  });

  test('take little memory of the server, whatever callers make up; what is in use an hour later is prepared again', async () => {
    const client = openClient({ url, poolSize: 1, preparedStatements });
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
  });
});

test('the connections are closed when the client is, although only the reader used them', async () => {
  const client = openClient({ url, poolSize: 2, preparedStatements });
  await client.goal.findMany({ where: { companyId: 'none' } });
  expect(client.connectionUse().open).toBe(1);
  await client.$disconnect();
  expect(client.connectionUse().open).toBe(0);
});
