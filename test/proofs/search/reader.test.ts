import { deepStrictEqual } from 'node:assert';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelClass, openModels, type Transaction } from '../../../src/database.js';
import type { PrismaClient } from '../../../src/generated/client/client.js';
import { models } from '../../../src/generated/models.js';
import { databaseOn } from '../../../src/platform/postgres/client.js';
import { openPool } from '../../../src/platform/postgres/pool.js';
import type { Method } from '../../../src/platform/postgres/values.js';
import { unboundScans } from '../../support/companyBinding.js';
import { query } from '../../support/query.js';
import { seedOf } from '../../support/seedOf.js';
import { temporaryDatabase } from '../../support/temporary.js';
import { timeLimit } from '../../support/timeLimit.js';
import { type Call, Calls } from './reader/calls.js';
import { Draw } from './reader/draw.js';
import { fillWithHostileData, type Row } from './reader/hostileData.js';

const comparisons = Number(process.env.READER_COMPARISONS ?? 5_000);
const seed = seedOf('READER_SEED');
const atOnce = 20;
const average = 18;
const limit = timeLimit(60_000 + 60 * comparisons);

type Client = Transaction | PrismaClient | Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];

const { url } = await temporaryDatabase();
// What a database may prefer that changes how values are written.
for (const setting of ["timezone = 'Asia/Kathmandu'", "datestyle = 'SQL, DMY'"]) {
  await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`);
}
const statements = new Set<string>();
let sentByReader = 0;
const noting = (text: string) => {
  if (text.startsWith('SELECT json_build_array')) {
    statements.add(text);
    sentByReader += 1;
  }
  return '';
};
const opened = openPool({ url, poolSize: 4, name: 'reader' });
const reading = databaseOn<PrismaClient>(opened, noting, modelClass).within(undefined);
const plain = openModels({ url, poolSize: 4, preparedStatements: false });
const { prisma } = plain;

const rows = new Map<string, Row[]>();

beforeAll(async () => {
  await fillWithHostileData(url, seed);
  for (const model of Object.keys(models)) rows.set(model, await delegateOf(prisma, model).findMany({}));
});

afterAll(() => Promise.all([reading.$disconnect(), plain.$disconnect()]));

type Delegate = Record<Method, (args: object) => Promise<Row[]>>;

const delegateOf = (client: Client, model: string) =>
  Reflect.get(client, model.charAt(0).toLowerCase() + model.slice(1)) as Delegate;

async function outcomeOf(client: Client, { model, method, args }: Call): Promise<object> {
  try {
    return { result: await delegateOf(client, model)[method](args) };
  } catch (error) {
    const { name, code, message } = error as { name: string; code: string; message: string };
    // Prisma says more about the arguments that it does not take.
    return { name, code, ...(name !== 'PrismaClientValidationError' && { message: message.split('\n').at(-1) }) };
  }
}

let asks = 0;

/** Prisma loads relations in two ways. */
function outcomeOfPrisma(client: Client, call: Call): Promise<object> {
  asks += 1;
  const relationLoadStrategy = asks % 2 === 0 ? 'join' : 'query';
  return outcomeOf(client, { ...call, args: { ...call.args, relationLoadStrategy } });
}

/** All choices equally often: fast-check prefers the first and the last. */
const evenly = (max: number) => fc.noBias(fc.nat(max));

/** Calls at once. All of them are drawn by one generator: those of an array would draw the same. */
const calls = fc.gen().map((g) => {
  const count = 1 + g(evenly, atOnce - 1);
  return Array.from({ length: count }, () => new Calls(new Draw(g, evenly, rows)).draw()).flat();
});

const tally = { compared: 0, answered: 0, found: 0 };

function requireSame(call: Call, ours: object, theirs: object): void {
  tally.compared += 1;
  if ('message' in ours && String(ours.message).includes('does not name the company')) return;
  tally.answered += 1;
  deepStrictEqual(withoutSign(ours), withoutSign(theirs), inspect({ call, ours, theirs }, { depth: null }));
  if ('result' in theirs && theirs.result !== null && !isEmpty(theirs.result)) tally.found += 1;
}

/** With 0 in place of -0, whose sign Prisma's joins lose. */
function withoutSign(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(withoutSign);
  if (typeof value !== 'object' || value === null || value instanceof Date || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutSign(part)]));
}

const isEmpty = (result: unknown) => Array.isArray(result) && result.length === 0;

test('reads what Prisma reads, whichever of the two executes it', { timeout: 3_600_000 }, async () => {
  const start = performance.now();
  await fc.assert(
    fc.asyncProperty(calls, async (batch) => {
      const outcomes = batch.map((call) => Promise.all([outcomeOf(reading, call), outcomeOfPrisma(prisma, call)]));
      for (const [index, [ours, theirs]] of (await Promise.all(outcomes)).entries())
        requireSame(batch[index] as Call, ours, theirs);
    }),
    { numRuns: Math.ceil(comparisons / average), seed, ...limit },
  );
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const answered = tally.answered / tally.compared;
  const byReader = sentByReader / tally.compared;
  const found = tally.found / tally.compared;
  console.log(
    `${tally.compared} comparisons with READER_SEED=${seed} in ${seconds} s: ` +
      `${(answered * 100).toFixed(0)} % answered, ${(byReader * 100).toFixed(0)} % by the reader, ${(found * 100).toFixed(0)} % found something`,
  );
  expect(answered).toBeGreaterThan(0.9);
  expect(byReader).toBeGreaterThan(0.2);
  expect(found).toBeGreaterThan(0.5);
});

test('reads in a transaction what it has written, as Prisma does', { timeout: 3_600_000 }, async () => {
  /** What the calls find in a transaction that is then undone. */
  async function within<Tx extends Client>(
    begin: (work: (tx: Tx) => Promise<never>) => Promise<never>,
    outcome: typeof outcomeOf,
    batch: Call[],
  ): Promise<object[]> {
    const outcomes: object[] = [];
    const work = begin(async (tx) => {
      await tx.$executeRaw`UPDATE goals SET name = 'within', closed_at = NULL`;
      await tx.$executeRaw`DELETE FROM comments WHERE company_id = 'c1'`;
      for (const call of batch) outcomes.push(await outcome(tx, call));
      throw new RolledBack();
    });
    await expect(work).rejects.toThrow(RolledBack);
    return outcomes;
  }
  const timeout = { timeout: 60_000 };
  await fc.assert(
    fc.asyncProperty(calls, async (batch) => {
      const ours = await within<Transaction>((work) => reading.$transaction(work, timeout), outcomeOf, batch);
      const theirs = await within((work) => prisma.$transaction(work, timeout), outcomeOfPrisma, batch);
      for (const [index, call] of batch.entries()) requireSame(call, ours[index] as object, theirs[index] as object);
    }),
    { numRuns: Math.ceil(comparisons / 10 / average), seed, ...limit },
  );
});

test('every statement of the reader binds each of its tables to the company', async () => {
  expect(statements.size).toBeGreaterThan(500);
  expect(await unboundScans(url, [...statements].slice(0, 500))).toEqual([]);
});

class RolledBack extends Error {}
