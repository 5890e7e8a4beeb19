import { deepStrictEqual } from 'node:assert';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelDatabase, type ModelTransaction, modelsWith, type Reads } from '../../../src/database.js';
import { models } from '../../../src/generated/models.js';
import { databaseOn } from '../../../src/platform/postgres/client.js';
import { connectionsOf } from '../../../src/platform/postgres/connections.js';
import type { Statement } from '../../../src/platform/postgres/deadline.js';
import { openPool } from '../../../src/platform/postgres/pool.js';
import type { Method } from '../../../src/platform/postgres/values.js';
import { unboundScans } from '../../support/companyBinding.js';
import { createDatabase } from '../../support/database.js';
import { query } from '../../support/query.js';
import { seedOf } from '../../support/seedOf.js';
import { timeLimit } from '../../support/timeLimit.js';
import { type Call, Calls } from './reader/calls.js';
import { Draw } from './reader/draw.js';
import { fillWithHostileData, type Row } from './reader/hostileData.js';

const comparisons = Number(process.env.READER_COMPARISONS ?? 5_000);
const seed = seedOf('READER_SEED');
const atOnce = 20;
const average = 18;
const limit = timeLimit(60_000 + 60 * comparisons);

type Client = ModelTransaction;

const { url, drop } = await createDatabase();
// What a database may prefer that changes how values are written.
for (const setting of ["bytea_output = 'escape'", "timezone = 'Asia/Kathmandu'", "datestyle = 'SQL, DMY'"]) {
  await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`);
}
const connections = connectionsOf(openPool({ url, size: 4, name: 'reader' }));

const statements = new Set<string>();
let sentByReader = 0;
const noting = {
  ...connections,
  within: () => {
    const pooled = connections.within(undefined);
    const query = (statement: Statement) => {
      if (statement.text.startsWith('SELECT json_build_array')) {
        statements.add(statement.text);
        sentByReader += 1;
      }
      return pooled.query(statement);
    };
    const queryInOrder = (all: readonly Statement[]) => pooled.queryInOrder(all);
    return {
      query,
      queryInOrder,
      begin: () => pooled.begin(),
      requirePrerequisite: () => pooled.requirePrerequisite(),
    };
  },
};
const reading = databaseOn(noting, modelsWith('reader'));
const prisma = databaseOn({ ...connections, close: async () => {} }, modelsWith('prisma'));

const rows = new Map<string, Row[]>();

beforeAll(async () => {
  await fillWithHostileData(url, seed);
  for (const model of Object.keys(models)) rows.set(model, await delegateOf(prisma, model).findMany({}));
});

afterAll(async () => {
  await reading.$disconnect();
  await drop();
});

type Delegate = Record<Method, (args: object) => Promise<Row[]>>;

const delegateOf = (client: Client, model: string) =>
  Reflect.get(client, model.charAt(0).toLowerCase() + model.slice(1)) as Delegate;

async function outcomeOf(client: Client, { model, method, args }: Call): Promise<object> {
  try {
    return { result: await delegateOf(client, model)[method](args) };
  } catch (error) {
    const { name, code, message } = error as { name: string; code: string; message: string };
    return { name, code, ...(name === 'PrismaClientKnownRequestError' && { message: message.split('\n').at(-1) }) };
  }
}

let asks = 0;

/** Prisma loads relations in two ways. Its joins cannot read bytes with this database's `bytea_output`. */
async function outcomeOfPrisma(client: Client, call: Call): Promise<object> {
  const by = (relationLoadStrategy: 'join' | 'query') =>
    outcomeOf(client, { ...call, args: { ...call.args, relationLoadStrategy } });
  asks += 1;
  const joined = asks % 2 === 0 ? await by('join') : undefined;
  return joined && !('code' in joined && joined.code === 'P2023') ? joined : by('query');
}

/** All choices equally often: fast-check prefers the first and the last. */
const evenly = (max: number) => fc.noBias(fc.nat(max));

/** Calls at once. All of them are drawn by one generator: those of an array would draw the same. */
const calls = fc.gen().map((g) => {
  const count = 1 + g(evenly, atOnce - 1);
  return Array.from({ length: count }, () => new Calls(new Draw(g, evenly, rows)).draw()).flat();
});

const tally = { compared: 0, found: 0 };

function requireSame(call: Call, ours: object, theirs: object): void {
  tally.compared += 1;
  // What the reader does not know has gone to Prisma, by a join.
  if ('code' in ours && ours.code === 'P2023') return;
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

test('reads what Prisma reads', { timeout: 3_600_000 }, async () => {
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
  const answered = sentByReader / tally.compared;
  const found = tally.found / tally.compared;
  console.log(
    `${tally.compared} comparisons with READER_SEED=${seed} in ${seconds} s: ` +
      `${(answered * 100).toFixed(0)} % answered by the reader, ${(found * 100).toFixed(0)} % found something`,
  );
  expect(answered).toBeGreaterThan(0.7);
  expect(found).toBeGreaterThan(0.5);
});

test('reads in a transaction what it has written, as Prisma does', { timeout: 3_600_000 }, async () => {
  /** What the calls find in a transaction that is then undone. */
  async function within(reads: Reads, batch: Call[]): Promise<object[]> {
    const db: ModelDatabase = databaseOn({ ...connections, close: async () => {} }, modelsWith(reads));
    const outcomes: object[] = [];
    const work = db.$transaction(
      async (tx) => {
        await tx.$executeRaw`UPDATE goals SET name = 'within', closed_at = NULL`;
        await tx.$executeRaw`DELETE FROM comments WHERE company_id = 'c1'`;
        for (const call of batch) outcomes.push(await (reads === 'reader' ? outcomeOf : outcomeOfPrisma)(tx, call));
        throw new RolledBack();
      },
      { timeout: 60_000 },
    );
    await expect(work).rejects.toThrow(RolledBack);
    await db.$disconnect();
    return outcomes;
  }
  await fc.assert(
    fc.asyncProperty(calls, async (batch) => {
      const [ours, theirs] = [await within('reader', batch), await within('prisma', batch)];
      for (const [index, call] of batch.entries()) requireSame(call, ours[index] as object, theirs[index] as object);
    }),
    { numRuns: Math.ceil(comparisons / 10 / average), seed, ...limit },
  );
});

test.each([
  ['a value that its enum does not have', { state: 'lost' }],
  ['such a value among others', { state: { in: ['draft', 'lost'] } }],
  ['NUL', { name: 'a\0b' }],
  ['a lone surrogate', { name: { in: ['a', '\udc00'] } }],
  ['a filter that the reader does not know', { NOT: { name: 'a' } }],
])('leaves a call to Prisma that has %s', async (_what, filter) => {
  const call = (where: object): Call => ({
    model: 'ResourceHubDocument',
    method: 'findMany',
    args: { where: { companyId: 'c1', ...where }, select: { id: true } },
  });
  const before = sentByReader;
  await outcomeOf(reading, call({ state: 'draft', name: 'a' }));
  expect(sentByReader).toBe(before + 1);
  expect(await outcomeOf(reading, call(filter))).toEqual(await outcomeOf(prisma, call(filter)));
  expect(sentByReader).toBe(before + 1);
});

test('every statement of the reader binds each of its tables to the company', async () => {
  expect(statements.size).toBeGreaterThan(500);
  expect(await unboundScans(url, [...statements].slice(0, 500))).toEqual([]);
});

class RolledBack extends Error {}
