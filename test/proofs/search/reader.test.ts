import { deepStrictEqual } from 'node:assert';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/generated/client/client.js';
import { models } from '../../../src/generated/models.js';
import type { Connection } from '../../../src/platform/postgres/connections.js';
import { connectionsOf } from '../../../src/platform/postgres/connections.js';
import { openPool } from '../../../src/platform/postgres/pool.js';
import { prismaOn } from '../../../src/platform/postgres/prismaOn.js';
import {
  newStatements,
  readOf,
  type Transaction,
  transact,
  transactionOn,
} from '../../../src/platform/postgres/reader/reader.js';
import type { Method } from '../../../src/platform/postgres/reader/statement.js';
import { unboundScans } from '../../support/companyBinding.js';
import { createDatabase } from '../../support/database.js';
import { query } from '../../support/query.js';
import { type Call, Calls } from '../../support/reader/calls.js';
import { Draw } from '../../support/reader/draw.js';
import { fillWithHostileData, type Row } from '../../support/reader/hostileData.js';
import { seedOf } from '../../support/seedOf.js';
import { timeLimit } from '../../support/timeLimit.js';

const comparisons = Number(process.env.READER_COMPARISONS ?? 5_000);
const seed = seedOf('READER_SEED');
const atOnce = 20;
const average = 18;
const limit = timeLimit(60_000 + 20 * comparisons);

type Client = PrismaClient | Transaction;

const { url, drop } = await createDatabase();
// What a database may prefer that changes how values are written.
for (const setting of ["bytea_output = 'escape'", "timezone = 'Asia/Kathmandu'", "datestyle = 'SQL, DMY'"]) {
  await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`);
}
const connections = connectionsOf(openPool({ url, size: 4, name: 'reader' }));

const statements = new Set<string>();
const pooled = connections.within(undefined);
const prisma = prismaOn(pooled, () => pooled.begin());
const connection: Connection = {
  query: (statement) => {
    if (statement.text.startsWith('SELECT json_build_array')) statements.add(statement.text);
    return pooled.query(statement);
  },
};
const known = newStatements();
const reading = transactionOn(connection, () => prisma, known);

const rows = new Map<string, Row[]>();

beforeAll(async () => {
  await fillWithHostileData(url, seed);
  for (const model of Object.keys(models)) rows.set(model, await delegateOf(prisma, model).findMany({}));
});

afterAll(async () => {
  await prisma.$disconnect();
  await connections.close();
  await drop();
});

type Delegate = Record<Method, (args: object) => Promise<Row[]>>;

const delegateOf = (client: Client, model: string) =>
  Reflect.get(client, model.charAt(0).toLowerCase() + model.slice(1)) as Delegate;

async function outcomeOf(client: Client, { model, method, args }: Call): Promise<object> {
  try {
    return { result: await delegateOf(client, model)[method](args) };
  } catch (error) {
    const { name, code } = error as { name: string; code: string };
    return { name, code };
  }
}

/** All choices equally often: fast-check prefers the first and the last. */
const evenly = (max: number) => fc.noBias(fc.nat(max));

/** Calls at once. All of them are drawn by one generator: those of an array would draw the same. */
const calls = fc.gen().map((g) => {
  const count = 1 + g(evenly, atOnce - 1);
  return Array.from({ length: count }, () => new Calls(new Draw(g, evenly, rows)).draw()).flat();
});

const tally = { compared: 0, answered: 0, found: 0 };

async function requireSame(call: Call, read: Promise<object>, expected: Promise<object>): Promise<void> {
  const [ours, theirs] = await Promise.all([read, expected]);
  deepStrictEqual(ours, theirs, inspect({ call, ours, theirs }, { depth: null }));
  tally.compared += 1;
  if (isAnswered(call)) tally.answered += 1;
  if ('result' in theirs && theirs.result !== null && !isEmpty(theirs.result)) tally.found += 1;
}

const isAnswered = ({ model, method, args }: Call) => readOf(known, model, method, args) !== undefined;

const isEmpty = (result: unknown) => Array.isArray(result) && result.length === 0;

test('reads what Prisma reads', { timeout: 3_600_000 }, async () => {
  const start = performance.now();
  await fc.assert(
    fc.asyncProperty(calls, async (batch) => {
      await Promise.all(batch.map((call) => requireSame(call, outcomeOf(reading, call), outcomeOf(prisma, call))));
    }),
    { numRuns: Math.ceil(comparisons / average), seed, ...limit },
  );
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const answered = tally.answered / tally.compared;
  const found = tally.found / tally.compared;
  console.log(
    `${tally.compared} comparisons with READER_SEED=${seed} in ${seconds} s: ` +
      `${(answered * 100).toFixed(0)} % answered by the reader, ${(found * 100).toFixed(0)} % found something`,
  );
  expect(answered).toBeGreaterThan(0.7);
  expect(found).toBeGreaterThan(0.5);
});

test('reads in a transaction what it has written, as Prisma does', { timeout: 3_600_000 }, async () => {
  const within = (work: (tx: PrismaClient, readingTx: Client) => Promise<void>) =>
    transact(pooled, 60_000, async (connection, open) => {
      await work(open(), transactionOn(connection, open));
      throw new RolledBack();
    });
  await fc.assert(
    fc.asyncProperty(calls, async (batch) => {
      const transaction = within(async (tx, readingTx) => {
        await tx.$executeRaw`UPDATE goals SET name = 'within', closed_at = NULL`;
        await tx.$executeRaw`DELETE FROM comments WHERE company_id = 'c1'`;
        for (const call of batch) await requireSame(call, outcomeOf(readingTx, call), outcomeOf(tx, call));
      });
      await expect(transaction).rejects.toThrow(RolledBack);
    }),
    { numRuns: Math.ceil(comparisons / 10 / average), seed, ...limit },
  );
});

test.each([
  ['a value that its enum does not have', { state: 'lost' }],
  ['such a value among others', { state: { in: ['draft', 'lost'] } }],
  ['NUL', { name: 'a\0b' }],
  ['a lone surrogate', { name: { in: ['a', '\udc00'] } }],
])('leaves to Prisma, which refuses it, a filter with %s', async (_what, filter) => {
  const call = {
    model: 'ResourceHubDocument',
    method: 'findMany' as const,
    args: { where: { companyId: 'c1', ...filter } },
  };
  expect(isAnswered({ ...call, args: { where: { companyId: 'c1', state: 'draft', name: 'a' } } })).toBe(true);
  expect(isAnswered(call)).toBe(false);
});

test('every statement of the reader binds each of its tables to the company', async () => {
  expect(statements.size).toBeGreaterThan(500);
  expect(await unboundScans(url, [...statements].slice(0, 500))).toEqual([]);
});

class RolledBack extends Error {}
