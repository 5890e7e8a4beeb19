import { describe, expect, onTestFinished, test } from 'vitest';
import { type ModelDatabase, type ModelTransaction, openModels } from '../../src/database.js';
import { isUnavailable, newScope } from '../../src/platform/postgres/deadline.js';
import { sql } from '../../src/platform/postgres/values.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { statementsOf } from '../support/statements.js';
import { createWorld } from '../support/world.js';

const world = await createWorld({ isAlone: true });

/** With one connection, so that each test shows whether it is free again. */
function open(reads: 'reader' | 'prisma') {
  const db = openModels({ url: world.url, poolSize: 1, preparedStatements, reads });
  onTestFinished(() => db.$disconnect());
  return db;
}

const insert = (tx: ModelTransaction, name: string) => tx.$executeRaw`INSERT INTO companies (name) VALUES (${name})`;
const isThere = async (name: string) => (await world.db.company.count({ where: { name } })) === 1;

describe('with READS=prisma', () => {
  test('a transaction is committed, undone if its work throws or takes too long, and leaves its connection', async () => {
    const db = open('prisma');
    await db.$transaction(async (tx) => {
      await insert(tx, 'kept');
      expect(await isThere('kept')).toBe(false);
    });
    const failing = db.$transaction(async (tx) => {
      await insert(tx, 'dropped');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const late = db.$transaction(
      async (tx) => {
        await insert(tx, 'late');
        await tx.$queryRaw`SELECT 1 FROM pg_sleep(0.3)`;
      },
      { timeout: 100 },
    );
    await expect(late).rejects.toSatisfy(isUnavailable);
    expect(await Promise.all(['kept', 'dropped', 'late'].map(isThere))).toEqual([true, false, false]);
    expect(await db.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });

  test('a request waits no longer than it may: for a statement, and for a connection that another holds', async () => {
    const db = open('prisma');
    await db.$queryRaw`SELECT 1`;
    const slow = db.within(newScope(200)).$queryRaw`SELECT 1 FROM pg_sleep(1)`;
    await expect(slow).rejects.toSatisfy(isUnavailable);
    await db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      const waiting = db.within(newScope(100)).goal.findMany({ where: { companyId: 'none' } });
      await expect(waiting).rejects.toSatisfy(isUnavailable);
    });
    expect(await db.goal.findMany({ where: { companyId: 'none' } })).toEqual([]);
  });

  test('look-ups of two companies at once are two statements, each of which names one company', async () => {
    const db = open('prisma');
    const [one, other] = [await world.team(), await world.team()];
    const find = ({ company: { companyId }, space }: typeof one) =>
      db.space.findUnique({ where: { companyId_id: { companyId, id: space.id } }, select: { id: true } });
    const { result, statements } = await statementsOf(() => Promise.all([one, other].map(find)));
    expect(result).toEqual([{ id: one.space.id }, { id: other.space.id }]);
    const companies = statements.map(({ values }) =>
      [one, other].filter((at) => values.includes(at.company.companyId)),
    );
    expect(companies).toEqual([[one], [other]]);
  });
});

describe('with the reader', () => {
  const write = (name: string) => sql`INSERT INTO companies (name) VALUES (${name}) RETURNING id`;
  const readId = (tx: ModelTransaction, name: string) => tx.$queryRaw`SELECT id FROM companies WHERE name = ${name}`;

  test('of what is asked for at once, what fails fails alone', async () => {
    const db = open('reader');
    const asked = [db.$queryRaw`SELECT 1 AS n`, db.$queryRaw`SELECT 1 / 0 AS n`, db.$queryRaw`SELECT 2 AS n`];
    expect(await Promise.allSettled(asked)).toMatchObject([
      { status: 'fulfilled', value: [{ n: 1 }] },
      { status: 'rejected', reason: { code: '22012' } },
      { status: 'fulfilled', value: [{ n: 2 }] },
    ]);
  });

  test('a write is read back in its own message, and undone if it cannot be', async () => {
    const db = open('reader');
    const [written, ...read] = await db.$queryRawThen<object[], object>(write('read'), async (tx) =>
      Promise.all([readId(tx, 'read'), tx.$queryRaw`SELECT 1 AS n`]),
    );
    expect(read).toEqual([[written, [{ n: 1 }]]]);
    const failing = db.$queryRawThen(write('unreadable'), (tx) => tx.$queryRaw`SELECT 1 / 0`);
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const throwing = db.$queryRawThen(write('unasked'), () => {
      throw new Error('no plan');
    });
    await expect(throwing).rejects.toThrow('no plan');
    const [, later] = await db.$queryRawThen<object[], unknown>(write('later'), async (tx) => {
      await readId(tx, 'later');
      return readId(tx, 'later');
    });
    expect(later).toHaveLength(1);
    const names = ['read', 'unreadable', 'unasked', 'later'];
    expect(await Promise.all(names.map(isThere))).toEqual([true, false, false, true]);
    expect(await db.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });
});

describe.each(['reader', 'prisma'] as const)('with READS=%s', (reads) => {
  test('a row that is not there is P2025 where it is required, and null elsewhere', async () => {
    const db = open(reads);
    const where = { companyId_id: { companyId: 'none', id: 'none' } };
    const notFound = { name: 'PrismaClientKnownRequestError', code: 'P2025', meta: { modelName: 'Goal' } };
    await expect(db.goal.findUniqueOrThrow({ where })).rejects.toMatchObject(notFound);
    expect(await db.goal.findUnique({ where })).toBeNull();
    expect(await db.goal.findFirst({ where: { companyId: 'none' } })).toBeNull();
  });

  test('what a request asks of a model without naming the company is refused', async () => {
    const db = open(reads).within(newScope(1_000));
    const refused = 'does not name the company';
    await expect(db.goal.findMany({ where: { name: 'any' } })).rejects.toThrow(`Goal.findMany ${refused}`);
    await expect(db.goal.count()).rejects.toThrow(`Goal.count ${refused}`);
    await expect(db.goal.updateMany({ data: { companyId: 'none' } })).rejects.toThrow(refused);
    await expect(db.goal.deleteMany({ where: { id: 'any' } })).rejects.toThrow(refused);
    expect(await db.goal.count({ where: { companyId: 'none' } })).toBe(0);
  });
});

/** A request that notes its statements, but not where transactions begin and end. */
function request(milliseconds = 5_000) {
  const texts: string[] = [];
  const beginStatement = (text: string) => {
    if (/^(SELECT|INSERT)/.test(text)) texts.push(text);
    return undefined;
  };
  const observer = { beginStatement, beginWait() {}, endWait() {}, countRepetition() {} };
  return { texts, scope: newScope(milliseconds, { observer }) };
}

describe.each(['reader', 'prisma'] as const)('what two requests ask for in one tick, with READS=%s', (reads) => {
  const where = { companyId: 'none' };
  const lookUp = (db: ModelDatabase) => db.goal.findUnique({ where: { companyId_id: { ...where, id: 'none' } } });
  const list = (db: ModelDatabase) => db.$transaction([db.goal.count({ where }), db.space.count({ where })]);

  test.each([
    ['look-ups', lookUp, 1],
    ['lists', list, 2],
  ])('%s: each has its own statements, of one database and of two', async (_, ask, count) => {
    const [one, other] = [open(reads), open(reads)];
    for (const databases of [
      [one, one],
      [one, other],
    ]) {
      const requests = databases.map((db) => ({ db, ...request() }));
      await Promise.all(requests.map(({ db, scope }) => ask(db.within(scope))));
      expect(requests.map(({ texts }) => texts.length)).toEqual([count, count]);
    }
  });

  test('lists: each within its own deadline, of a database that has a free connection', async () => {
    const [busy, idle] = [open(reads), open(reads)];
    await busy.$transaction(async () => {
      const [refused, done] = await Promise.allSettled([
        list(busy.within(request(100).scope)),
        list(idle.within(request().scope)),
      ]);
      expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'ETIMEDOUT' } });
      expect(done).toMatchObject({ status: 'fulfilled', value: [0, 0] });
    });
  });
});

describe('what the reader does not know is left to Prisma', () => {
  test('a read, with the same result, on the connection and within the deadline of the request', async () => {
    const db = open('reader');
    const where = { companyId: 'none', targets: { every: { value: 0 } } };
    expect(await db.goal.findMany({ where, distinct: 'name', skip: 1 })).toEqual([]);
    await db.$transaction(async () => {
      const waiting = db.within(newScope(100)).goal.findMany({ where });
      await expect(waiting).rejects.toSatisfy(isUnavailable);
    });
  });

  test('a call in a transaction, which sees what that has written, and is undone with it', async () => {
    const db = open('reader');
    const failing = db.$transaction(async (tx) => {
      const { id } = await tx.company.create({ data: { name: 'within', people: { create: { fullName: 'Ann' } } } });
      expect(await tx.person.count({ where: { companyId: id } })).toBe(1);
      await expect(
        tx.company.create({ data: { id, name: 'twice', people: { create: { fullName: 'Bo' } } } }),
      ).rejects.toMatchObject({
        code: 'P2002',
      });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await isThere('within')).toBe(false);
  });
});
