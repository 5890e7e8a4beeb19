import { deepStrictEqual } from 'node:assert';
import { inspect } from 'node:util';
import { PrismaPg } from '@prisma/adapter-pg';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient } from '../src/database/client.js';
import { PrismaClient } from '../src/database/generated/client/client.js';
import { type Statement, statementChannel } from '../src/database/statements.js';
import { createDatabase } from './support/database.js';
import { preparedStatements } from './support/pgbouncer.js';
import { type Call, Calls } from './support/reader/calls.js';
import { fillWithHostileData } from './support/reader/hostileData.js';

const comparisons = Number(process.env.READER_COMPARISONS ?? 5_000);
const seed = Number(process.env.READER_SEED ?? 1);
const atOnce = 20;

const { url, drop } = await createDatabase();
const db = openClient({ url, poolSize: 4, preparedStatements });
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 4 }), errorFormat: 'minimal' });

beforeAll(() => fillWithHostileData(url, seed), 120_000);

afterAll(async () => {
  await Promise.all([db.$disconnect(), prisma.$disconnect()]);
  await drop();
});

async function outcomeOf(client: object, { model, method, args }: Call): Promise<unknown> {
  const delegate = Reflect.get(client, model.charAt(0).toLowerCase() + model.slice(1));
  try {
    return { result: await delegate[method](args) };
  } catch (error) {
    const { name, code } = error as { name: string; code?: string };
    return { name, code };
  }
}

/** Prisma alone answers a call that says how to load relations, and answers it in the same way. */
const leftToPrisma = (call: Call): Call => ({ ...call, args: { ...call.args, relationLoadStrategy: 'join' } });

/** All choices equally often: fast-check prefers the first and the last. */
const evenly = (max: number) => fc.noBias(fc.nat(max));

const calls = fc
  .array(
    fc.gen().map((g) => new Calls(g, evenly).draw()),
    { minLength: 1, maxLength: 2 * atOnce, size: 'max' },
  )
  .map((drawn) => drawn.flat());

let compared = 0;
let answered = 0;
statementChannel.start.subscribe((message) => {
  if ((message as Statement).sql.startsWith('SELECT json_build_array')) answered += 1;
});

const shown = (call: Call) => inspect(call, { depth: null });

async function requireSame(call: Call, read: Promise<unknown>, expected: Promise<unknown>): Promise<void> {
  compared += 1;
  const [ours, theirs] = await Promise.all([read, expected]);
  deepStrictEqual(ours, theirs, `${shown(call)}\n${inspect({ ours, theirs }, { depth: null })}`);
}

test('reads what Prisma reads', { timeout: 3_600_000 }, async () => {
  compared = 0;
  answered = 0;
  const start = performance.now();
  await fc.assert(
    fc.asyncProperty(calls, async (batch) => {
      await Promise.all(batch.map((call) => requireSame(call, outcomeOf(db, call), outcomeOf(prisma, call))));
    }),
    { numRuns: Math.ceil(comparisons / atOnce), seed },
  );
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${compared} comparisons with seed ${seed}, of which the reader answered ${answered}, in ${seconds.toFixed(1)} s`,
  );
  // Look-ups together are one statement.
  expect(answered).toBeGreaterThan(compared / 4);
});

test('reads in a transaction what it has written, as Prisma does', { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (batch) => {
      await db
        .$transaction(async (tx) => {
          await tx.$executeRaw`UPDATE goals SET name = 'within', closed_at = NULL`;
          await tx.$executeRaw`DELETE FROM comments WHERE company_id = 'c1'`;
          for (const call of batch) await requireSame(call, outcomeOf(tx, call), outcomeOf(tx, leftToPrisma(call)));
          throw new RolledBack();
        })
        .catch((error) => {
          if (!(error instanceof RolledBack)) throw error;
        });
    }),
    { numRuns: Math.ceil(comparisons / 10 / atOnce), seed },
  );
});

class RolledBack extends Error {}
