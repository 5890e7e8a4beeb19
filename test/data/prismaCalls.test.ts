import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openModels, type Transaction } from '../../src/database.js';
import { FairQueue, LongRequest } from '../../src/platform/limits/index.js';
import { newScope } from '../../src/platform/postgres/deadline.js';
import { Prerequisite } from '../../src/platform/postgres/prerequisite.js';
import { RequestPool } from '../../src/platform/postgres/prismaClient.js';
import { sql } from '../../src/platform/postgres/values.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { openRandomDemo } from '../support/randomDemo.js';
import { statementsOf } from '../support/statements.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld({ isAlone: true });
await openRandomDemo(world);
const [{ id: demo }] = (await world.sql('SELECT company_id AS id FROM goals GROUP BY 1')) as [{ id: string }];
const other = await world.team();
await world.goal(other.space, { name: 'Launch' });

const one = { companyId: demo };
const byId = { orderBy: { id: 'asc' } };
const ids = { select: { id: true }, ...byId };
const found = { where: { ...one, id: 'goal-launch-mobile-app' } };

/** Each of them with what the reader does not know, and some that it knows. */
const calls: [model: string, method: string, args: object][] = [
  ['goal', 'count', { where: one }],
  ['goal', 'count', { where: { ...one, closedAt: null } }],
  ['goal', 'count', { where: one, select: { _all: true, closedAt: true } }],
  ['goal', 'count', { where: one, take: 2, skip: 1, orderBy: { id: 'asc' } }],
  ['goal', 'aggregate', { where: one, _count: true, _min: { insertedAt: true }, _max: { updatedAt: true } }],
  ['target', 'aggregate', { where: one, _avg: { value: true }, _sum: { value: true } }],
  ['goal', 'groupBy', { by: ['spaceId'], where: one, _count: true, orderBy: { spaceId: 'asc' } }],
  [
    'activity',
    'groupBy',
    { by: 'action', where: one, _count: { _all: true }, orderBy: { _count: { action: 'desc' } }, take: 1 },
  ],
  [
    'documentVersion',
    'groupBy',
    {
      by: ['documentId'],
      where: one,
      _max: { versionNumber: true },
      having: { versionNumber: { _max: { gt: 1 } } },
      orderBy: { documentId: 'asc' },
    },
  ],
  ['goal', 'findMany', { where: { ...one, name: { contains: 'MOBILE', mode: 'insensitive' } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, name: { startsWith: 'Launch' } }, ...ids }],
  ['person', 'findMany', { where: { ...one, email: { endsWith: '@example.com' } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, name: { not: 'Launch' } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, name: { not: { in: ['Launch', 'none'] } } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, id: { notIn: ['a', 'b'] } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, NOT: { closedAt: null } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, AND: [{ closedAt: null }, { archivedAt: null }] }, ...ids }],
  ['goal', 'findMany', { where: { ...one, targets: { every: { value: { gte: 0 } } } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, targets: { some: {} } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, champion: { isNot: null } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, champion: null }, ...ids }],
  ['goal', 'findMany', { where: { ...one, champion: { is: { fullName: { contains: 'a' } } } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, closedAt: { gt: '2020-01-01T00:00:00Z' } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, closedAt: { lt: { _ref: 'none' } } }, ...ids }],
  ['goal', 'findMany', { where: { ...one, name: 'a\0b' }, ...ids }],
  ['goal', 'findMany', { where: { ...one, nothing: 1 }, ...ids }],
  [
    'goal',
    'findMany',
    { where: one, orderBy: [{ closedAt: { sort: 'desc', nulls: 'last' } }, { id: 'asc' }], select: { id: true } },
  ],
  ['goal', 'findMany', { where: one, orderBy: [{ space: { name: 'asc' } }, { id: 'asc' }], select: { id: true } }],
  ['goal', 'findMany', { where: one, orderBy: [{ targets: { _count: 'desc' } }, { id: 'asc' }], select: { id: true } }],
  ['goal', 'findMany', { where: one, skip: 2, take: 3, ...ids }],
  ['goal', 'findMany', { where: one, take: -3, ...ids }],
  ['goal', 'findMany', { where: one, cursor: { companyId_id: found.where }, take: 2, ...ids }],
  ['goal', 'findMany', { where: one, distinct: ['spaceId'], ...byId, select: { spaceId: true } }],
  ['goal', 'findMany', { where: one, omit: { name: true }, ...byId }],
  ['goal', 'findMany', { where: one, include: { checks: byId, champion: true, _count: true }, ...byId }],
  ['goal', 'findMany', { where: one, ...byId, relationLoadStrategy: 'query', include: { targets: byId } }],
  [
    'goal',
    'findFirst',
    { where: one, orderBy: { id: 'desc' }, include: { space: true, targets: { ...byId, take: 2 } } },
  ],
  [
    'goal',
    'findFirst',
    { where: one, ...byId, select: { id: true, _count: { select: { targets: { where: { value: { gt: 1 } } } } } } },
  ],
  ['goal', 'findFirst', { where: one, skip: 10_000 }],
  ['goal', 'findFirst', { where: one, take: 1 }],
  ['goal', 'findFirstOrThrow', { ...found, select: { name: true } }],
  ['goal', 'findFirstOrThrow', { where: { ...one, id: 'nobody' } }],
  ['goal', 'findFirstOrThrow', { where: { ...one, name: { contains: 'nobody' } } }],
  ['goal', 'findUnique', { where: { companyId_id: found.where }, omit: { name: true } }],
  ['goal', 'findUnique', { where: { companyId_id: found.where, name: { contains: 'none' } } }],
  ['goal', 'findUnique', { where: { companyId_id: found.where, AND: { closedAt: null } }, select: { id: true } }],
  ['goal', 'findUniqueOrThrow', { where: { companyId_id: { ...one, id: 'nobody' } } }],
  ['goal', 'findUniqueOrThrow', { where: { companyId_id: { ...one, id: 'nobody' }, name: { not: 'a' } } }],
  ['webhook', 'findMany', { where: one, ...byId }],
  ['apiToken', 'findMany', { where: one, ...byId, select: { id: true, hash: true } }],
  [
    'activity',
    'findMany',
    { where: { ...one, action: { in: ['goal_reopened'] } }, ...byId, select: { id: true, action: true } },
  ],
  ['activity', 'findMany', { where: { ...one, action: { notIn: ['goal_reopened'] } }, ...byId }],
  ['company', 'findUnique', { where: { id: demo } }],
  ['company', 'findFirst', { where: { id: demo }, include: { people: byId, webhooks: true } }],
  ['company', 'findUniqueOrThrow', { where: { id: demo }, select: { _count: { select: { people: true } } } }],
  [
    'goalAccess',
    'findMany',
    { where: { ...one, level: { not: 0 } }, orderBy: [{ goalId: 'asc' }, { personId: 'asc' }] },
  ],
];

// With one connection, so that each test shows whether it is free again.
const db = openModels({ url: world.url, poolSize: 1, preparedStatements });
afterAll(() => db.$disconnect());

async function outcomeOf(client: Json, [model, method, args]: (typeof calls)[number]): Promise<object> {
  try {
    return { result: await client[model][method](args) };
  } catch (error) {
    const { name, code, message } = error as { name: string; code: string; message: string };
    return { name, code, message: message.split('\n').at(-1) };
  }
}

describe('a call within a request has the result of Prisma, or its error', () => {
  test.each(calls)('%s.%s %j', async (...call) => {
    const expected = await outcomeOf(db.prisma, call);
    const request = db.within(newScope(5_000), demo);
    const connect = vi.spyOn(RequestPool.prototype, 'connect');
    const { result, statements } = await statementsOf(() => outcomeOf(request, call));
    connect.mockRestore();
    expect(result).toEqual(expected);
    const most = 'relationLoadStrategy' in call[2] ? 2 : 1;
    expect(statements.length, statements.map(({ text }) => text).join('\n')).toBeLessThanOrEqual(most);
    expect(statements.filter(({ text }) => /^(BEGIN|COMMIT)/.test(text))).toEqual([]);
    // A statement that has failed ends its transaction.
    const within = request.$transaction((tx) => outcomeOf(tx, call));
    expect(await within.catch((error) => error)).toEqual(
      'code' in expected && expected.code === 'P2039' ? expect.any(Error) : expected,
    );
    expect(db.connectionUse()).toMatchObject({ waiting: 0 });
  });
});

describe('a call that does not name the company of the caller as a text is refused, and sends nothing:', () => {
  test.each<(typeof calls)[number]>([
    ['goal', 'count', {}],
    ['goal', 'count', { where: { companyId: other.company.companyId } }],
    ['goal', 'aggregate', { _count: true }],
    ['goal', 'groupBy', { by: ['spaceId'], where: { spaceId: 'any' } }],
    ['goal', 'findMany', { where: { companyId: other.company.companyId } }],
    ['goal', 'findMany', { where: { companyId: { in: [demo, 'other'] } } }],
    ['goal', 'findMany', { where: { companyId: { equals: demo } } }],
    ['goal', 'findMany', { where: { OR: [one, { companyId: 'other' }] } }],
    ['goal', 'findMany', { where: { companyId: { not: 'other' } } }],
    [
      'goal',
      'findMany',
      { where: { ...one, name: { not: 'a' } }, cursor: { companyId_id: { companyId: 'other', id: 'a' } } },
    ],
    ['goal', 'findUnique', { where: { companyId_id: { companyId: other.company.companyId, id: 'any' } } }],
    ['goal', 'findFirst', { where: null }],
    ['publicLink', 'findUnique', { where: { token: 'any' } }],
    ['company', 'findMany', { where: {} }],
    ['company', 'findMany', { where: { name: 'any' } }],
    ['company', 'findUnique', { where: { id: other.company.companyId } }],
  ])('%s.%s %j', async (...call) => {
    const request = db.within(newScope(5_000), demo);
    for (const asked of [request, undefined]) {
      const outcome = () => (asked ? outcomeOf(asked, call) : request.$transaction((tx) => outcomeOf(tx, call)));
      const { result, statements } = await statementsOf(outcome);
      const column = call[0] === 'company' ? 'id' : 'companyId';
      const message = `${call[0]}.${call[1]} does not name the company of its caller, as \`${column}\``;
      expect(result).toMatchObject({ message });
      expect(statements.filter(({ text }) => text.includes('FROM'))).toEqual([]);
    }
  });

  test('of the types too, as whatever writes, and what has no company', () => {
    const types = (tx: Transaction) => [
      // @ts-expect-error
      () => tx.goal.count({}),
      // @ts-expect-error
      () => tx.goal.findMany({ where: { companyId: { in: ['a'] } } }),
      // @ts-expect-error
      () => tx.goal.aggregate({ _count: true }),
      // @ts-expect-error
      () => tx.company.findMany({ where: { name: 'any' } }),
      // @ts-expect-error
      () => tx.goal.create({ data: {} }),
      // @ts-expect-error
      () => tx.goal.deleteMany({ where: { companyId: 'a' } }),
      // @ts-expect-error
      () => tx.$transaction([]),
      // @ts-expect-error
      () => tx.$extends({}),
      // @ts-expect-error
      () => tx.confirmationSecret,
      // @ts-expect-error
      () => tx.rateLimit,
      // @ts-expect-error
      () => tx.goal.findMany({ where: { companyId: 'a', nmae: 'a' } }),
      () => tx.goal.count({ where: { companyId: 'a', name: { contains: 'a', mode: 'insensitive' } } }),
    ];
    const request = db.within(newScope(1), demo) as Json;
    expect(types(request)).toHaveLength(12);
    for (const name of ['confirmationSecret', 'rateLimit', '$extends']) expect(request[name]).toBeUndefined();
    for (const name of ['create', 'update', 'upsert', 'delete', 'createMany', 'updateMany', 'deleteMany'])
      expect(request.goal[name]).toBeUndefined();
  });
});

/** A call that only Prisma's client executes. */
const named = (tx: Transaction, companyId: string, name = 'Launch') =>
  tx.goal.findMany({ where: { companyId, name: { contains: name } }, select: { name: true, companyId: true } });

describe("what Prisma's client executes", () => {
  test('is sent by nobody in particular never', async () => {
    expect(() => new RequestPool().query('SELECT 1')).toThrow('no request has asked for');
    expect(() => new RequestPool().connect()).toThrow('without a transaction of its own');
  });

  test('comes on the connection of its own request, of two companies in one tick, aborted, in transactions', async () => {
    const pool = openModels({ url: world.url, poolSize: 4, preparedStatements });
    onTestFinished(() => pool.$disconnect());
    const { companyId } = other.company;
    const rowsOf = (id: string) => ({ where: { companyId_id: { companyId: id, id: 'none' }, name: { not: 'a' } } });
    const asked = Array.from({ length: 120 }, async (_, index) => {
      const own = index % 2 ? demo : companyId;
      const request = pool.within(newScope(index % 7 === 0 ? 1 : 10_000), own);
      const both = async (tx: Transaction) => [
        await named(tx, own),
        await tx.goal.findMany({ where: { companyId: own }, select: { name: true, companyId: true } }),
        await tx.goal.findUnique(rowsOf(own)),
      ];
      const rows =
        index % 3 === 0 ? await request.$transaction(both).catch(() => []) : await both(request).catch(() => []);
      const found = rows.flat().filter((row) => row !== null);
      expect(found.filter((row) => row.companyId !== own)).toEqual([]);
      return found.length;
    });
    expect((await Promise.all(asked)).filter((length) => length > 0).length).toBeGreaterThan(60);
    expect(pool.connectionUse()).toMatchObject({ waiting: 0 });
  });

  test('waits until its token is checked, and is not sent if that is refused', async () => {
    const refusal = new Error('refused');
    const check = { text: 'SELECT 1 / 0', values: [] };
    const scope = newScope(5_000);
    scope.prerequisite = new Prerequisite(check, async (send) =>
      send().then(
        () => undefined,
        () => refusal,
      ),
    );
    await expect(named(db.within(scope, demo), demo)).rejects.toBe(refusal);
    const passing = newScope(5_000);
    passing.prerequisite = new Prerequisite({ text: 'SELECT 2 AS n' }, async (send) => void (await send()));
    const { statements } = await statementsOf(() => named(db.within(passing, demo), demo));
    expect(statements.map(({ text }) => text.slice(0, 8))).toEqual(['SELECT 2', 'SELECT "']);
  });

  test('ends with the time of its request', async () => {
    const late = db.within(newScope(150), demo);
    const slow = db.$queryRaw`SELECT pg_sleep(0.4)::text`;
    await expect(named(late, demo)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await slow;
    await expect(named(db.within(newScope(0), demo), demo)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  test('counts to what its request may read, and waits for its turn to read much', async () => {
    const queue = new FairQueue({ seats: 1, refuses: false });
    const bounded = (maximum: number) =>
      db.within(newScope(5_000, { reads: new LongRequest(queue, { id: 'a', flow: 'a' }, { maximum }) }), demo);
    await expect(bounded(100_000).goal.count({ where: one })).resolves.toBeGreaterThan(5);
    await expect(bounded(1_000).goal.findMany({ where: { ...one, name: { not: 'a' } } })).rejects.toMatchObject({
      name: 'ReadTooMuch',
      maximum: 1_000,
    });
    const { company, space } = await world.team();
    const goal = { ...company, ...(await world.goal(space, { description: 'x'.repeat(1_200_000) })) };
    const held = new LongRequest(queue, { id: 'a', flow: 'a' });
    await held.enter();
    const reads = new LongRequest(queue, { id: 'b', flow: 'b' });
    let isRead = false;
    const where = { companyId: goal.companyId, id: goal.id, name: { not: 'a' } };
    const reading = db.within(newScope(5_000, { reads }), goal.companyId).goal.findFirst({ where });
    void reading.then(() => (isRead = true));
    await db.$queryRaw`SELECT pg_sleep(0.05)::text`;
    expect(isRead).toBe(false);
    held.end();
    expect((await reading)?.description).toHaveLength(1_200_000);
    reads.end();
  });

  test('sees what its transaction has written, and fails with it', async () => {
    const request = db.within(newScope(5_000), demo);
    const seen = await request.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE goals SET name = 'Only here' WHERE company_id = ${demo} AND id = 'goal-launch-mobile-app'`;
      return named(tx, demo, 'Only here');
    });
    expect(seen).toHaveLength(1);
    const failing = request.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE goals SET name = 'Launch' WHERE company_id = ${demo} AND id = 'goal-launch-mobile-app'`;
      await tx.$executeRaw`SELECT 1 / 0`.catch(() => {});
      return named(tx, demo);
    });
    await expect(failing).rejects.toMatchObject({ meta: { driverAdapterError: { cause: { originalCode: '22012' } } } });
    expect(await named(request, demo, 'Only here')).toHaveLength(1);
  });

  test('comes after what is written with it, which then stays: what the reader knows goes with it', async () => {
    const [, rows] = await db
      .within(newScope(5_000), demo)
      .$queryRawThen(
        sql`UPDATE goals SET name = 'Written first' WHERE company_id = ${demo} AND id = 'goal-launch-mobile-app' RETURNING id`,
        async (tx) =>
          Promise.all([named(tx, demo, 'Written'), tx.goal.findMany({ where: { ...one, name: 'Written first' } })]),
      );
    expect(rows.map((list) => list.length)).toEqual([1, 1]);
  });

  test('takes none of the names of prepared statements', async () => {
    const request = db.within(newScope(5_000), demo);
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    for (const _ of [1, 2, 3]) await named(request, demo);
    const names = sent.mock.calls.map(([query]) => (query as unknown as { name?: string }).name);
    sent.mockRestore();
    expect(names).toEqual(['', '', '']);
  });

  test('fails with what Prisma says of a value of an enum that it does not know', async () => {
    await world.sql("ALTER TYPE progress_status ADD VALUE 'delighted'");
    await world.sql(`UPDATE projects SET status = 'delighted' WHERE company_id = '${demo}'`);
    const where = { ...one, name: { not: 'a' } };
    await expect(db.within(newScope(5_000), demo).project.findMany({ where })).rejects.toMatchObject({ code: 'P2023' });
    await setImmediate();
  });
});
