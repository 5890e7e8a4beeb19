import { expect, onTestFinished, test } from 'vitest';
import { openModels, type Transaction } from '../../src/database.js';
import { newScope } from '../../src/platform/postgres/deadline.js';
import { sql } from '../../src/platform/postgres/values.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { statementsOf } from '../support/statements.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld({ isAlone: true });

/** With one connection, so that each test shows whether it is free again. */
function open() {
  const db = openModels({ url: world.url, poolSize: 1, preparedStatements });
  onTestFinished(() => db.$disconnect());
  return db;
}

const isThere = async (name: string) => (await world.db.company.count({ where: { name } })) === 1;
const write = (name: string) => sql`INSERT INTO companies (name) VALUES (${name}) RETURNING id`;
const readId = (tx: Transaction, name: string) => tx.$queryRaw`SELECT id FROM companies WHERE name = ${name}`;

test('of what is asked for at once, what fails fails alone', async () => {
  const db = open();
  const asked = [db.$queryRaw`SELECT 1 AS n`, db.$queryRaw`SELECT 1 / 0 AS n`, db.$queryRaw`SELECT 2 AS n`];
  expect(await Promise.allSettled(asked)).toMatchObject([
    { status: 'fulfilled', value: [{ n: 1 }] },
    { status: 'rejected', reason: { code: '22012' } },
    { status: 'fulfilled', value: [{ n: 2 }] },
  ]);
});

test('a write is read back in its own message, and undone if it cannot be', async () => {
  const db = open();
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

test('a row that is not there is P2025 where it is required, and null elsewhere, as of the client', async () => {
  const where = { companyId_id: { companyId: 'none', id: 'none' } };
  const notFound = { name: 'PrismaClientKnownRequestError', code: 'P2025', meta: { modelName: 'Goal' } };
  for (const db of [open(), open().within(undefined)]) {
    await expect(db.goal.findUniqueOrThrow({ where })).rejects.toMatchObject(notFound);
    expect(await db.goal.findUnique({ where })).toBeNull();
    expect(await db.goal.findFirst({ where: { companyId: 'none' } })).toBeNull();
  }
});

test('a condition that the values of a caller have left empty is none, and an empty list finds nothing', async () => {
  const db = open().within(newScope(5_000));
  const { company, space } = await world.team();
  await world.goal(space);
  const read = (id: object, take?: number) =>
    db.space.findMany({
      where: { ...company, id },
      select: { _count: { select: { goals: { where: {} } } }, goals: { where: {}, select: { spaceId: true } } },
      orderBy: { id: 'asc' },
      ...(take !== undefined && { take }),
    });
  expect(await read({ in: [space.id] })).toEqual([{ _count: { goals: 1 }, goals: [{ spaceId: space.id }] }]);
  expect(await read({ in: [] })).toEqual([]);
  expect(await read({ in: [space.id] }, 0)).toEqual([]);
  expect(await db.target.findMany({ where: { ...company, value: { in: [1, 2.5] } } })).toEqual([]);
});

test('look-ups of two companies in one tick are two statements, each of which names one', async () => {
  const db = open();
  const [one, other] = [await world.team(), await world.team()];
  const find = ({ company: { companyId }, space }: typeof one) =>
    db.within(newScope(5_000)).space.findUnique({
      where: { companyId_id: { companyId, id: space.id } },
      select: { id: true },
    });
  const { result, statements } = await statementsOf(() => Promise.all([one, other].map(find)));
  expect(result).toEqual([{ id: one.space.id }, { id: other.space.id }]);
  const companies = statements.map(({ values }) => [one, other].filter((at) => values.includes(at.company.companyId)));
  expect(companies).toEqual([[one], [other]]);
});

test('a command has all of Prisma, on the same pool; a request only what reads within its company', async () => {
  const db = open();
  const failing = db.prisma.$transaction(async (tx) => {
    const { id } = await tx.company.create({ data: { name: 'within', people: { create: { fullName: 'Ann' } } } });
    expect(await tx.person.count({ where: { companyId: id } })).toBe(1);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await isThere('within')).toBe(false);
  expect(await db.goal.findMany({ where: { targets: { every: { value: 0 } } }, distinct: 'name', skip: 1 })).toEqual(
    [],
  );
  expect(db.connectionUse()).toEqual({ open: 1, idle: 1, waiting: 0 });
  expect(() => (db.within(undefined) as Json).prisma).toThrow('asks nothing of the client');
});
