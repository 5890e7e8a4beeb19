import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { modelClass, openModels, type Transaction } from '../../src/database.js';
import type { PrismaClient } from '../../src/generated/client/client.js';
import { databaseOn } from '../../src/platform/postgres/client.js';
import type { NameOf } from '../../src/platform/postgres/connections.js';
import { openPool, statementNames } from '../../src/platform/postgres/pool.js';
import { rawSql } from '../../src/platform/postgres/values.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { preparedStatements, usesPgbouncer } from '../support/pgbouncer.js';
import { temporaryDatabase } from '../support/temporary.js';

const { url } = await temporaryDatabase();

/** A database with one connection. */
function open(to: string, nameOf?: NameOf) {
  const pool = openPool({ url: to, poolSize: 1, name: 'reader' });
  return databaseOn<PrismaClient>(pool, nameOf, modelClass).within(undefined);
}

const names = { select: { name: true, space: { select: { name: true } } }, where: { companyId: 'c' } };

describe('a read that fails', () => {
  const db = open(url);
  afterAll(() => db.$disconnect());

  test.each([
    ['a table is missing', 'ALTER TABLE spaces RENAME TO places', '42P01'],
    ['a column is missing', 'ALTER TABLE spaces RENAME name TO title', '42703'],
    ['the role may not', 'CREATE ROLE goalpost_nobody; SET LOCAL ROLE goalpost_nobody', '42501'],
  ])('because %s has the code of PostgreSQL', async (_, statement, code) => {
    const failing = db.$transaction(async (tx) => {
      for (const part of statement.split(';')) await tx.$executeRaw(rawSql(part));
      await tx.goal.findMany(names);
    });
    await expect(failing).rejects.toMatchObject({ code });
  });

  // PgBouncer is told to ignore the time limits of a connection.
  test.skipIf(usesPgbouncer)('because a lock is held has the code of PostgreSQL', async () => {
    const waiting = new URL(url);
    waiting.searchParams.set('options', '-c lock_timeout=50');
    const late = open(waiting.href);
    await db.$transaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE goals`;
      await expect(late.goal.findMany(names)).rejects.toMatchObject({ code: '55P03' });
    });
    await late.$disconnect();
  });

  test('because there is no server says so', async () => {
    const nowhere = open('postgresql://nobody@127.0.0.1:1/none');
    await expect(nowhere.goal.findMany(names)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await nowhere.$disconnect();
  });

  test('keeps the values of a row out of the log', async () => {
    const insert = (tx: Transaction) => tx.$executeRaw`INSERT INTO companies (id, name) VALUES ('secret', 'one')`;
    const failing = db.$transaction(async (tx) => [await insert(tx), await insert(tx)]);
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: '23505', detail: expect.stringContaining('secret') });
    const lines: string[] = [];
    createLogger('error', { write: (line) => void lines.push(line) }).error({ err: error }, 'failed');
    expect(lines.join()).toContain('23505');
    expect(lines.join()).not.toContain('secret');
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
  const preparedBy = async (client: Transaction) => {
    const rows = await client.$queryRaw<{ statement: string }[]>`
      SELECT statement FROM pg_prepared_statements WHERE name <> '' AND statement LIKE 'SELECT json_build_array%'`;
    return rows.map(({ statement }) => statement);
  };

  test.each([
    ['in number', 5, 1_000],
    ['in characters', 100, 300],
  ])('are limited %s; what is read beyond is not prepared', async (_, most, characters) => {
    const db = open(
      url,
      statementNames(() => {}, most, characters),
    );
    for (const column of [...columns, ...columns]) await read(db, [column]);
    const prepared = await preparedBy(db);
    expect(prepared.length).toBeLessThanOrEqual(most);
    expect(prepared.join('').length).toBeLessThanOrEqual(characters);
    expect(prepared.length).toBeGreaterThan(1);
    await db.$disconnect();
  });

  test('are those that are used again', async () => {
    const client = openModels({ url, poolSize: 1, preparedStatements }).within(undefined);
    onTestFinished(() => client.$disconnect());
    await read(client, ['id']);
    expect(await preparedBy(client)).toEqual([]);
    await read(client, ['id']);
    expect(await preparedBy(client)).toHaveLength(1);
  });
});
