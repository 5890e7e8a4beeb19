import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openModels, type Transaction } from '../../src/database.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { createWorld } from '../support/world.js';

const world = await createWorld({ isAlone: true });

/** With one connection, so that each test shows whether it is free again. */
function open() {
  const db = openModels({ url: world.url, poolSize: 1, preparedStatements });
  onTestFinished(() => db.$disconnect());
  return db;
}

const insert = (tx: Transaction, name: string) => tx.$executeRaw`INSERT INTO companies (name) VALUES (${name})`;
const isThere = async (name: string) => (await world.db.company.count({ where: { name } })) === 1;

test('a transaction is committed with all that was written in it, which it reads and others do not', async () => {
  const db = open();
  const people = await db.$transaction(async (tx) => {
    await tx.$executeRaw`INSERT INTO companies (id, name) VALUES ('written', 'written')`;
    await tx.$executeRaw`INSERT INTO people (company_id, full_name) VALUES ('written', 'Ann'), ('written', 'Ben')`;
    expect(await isThere('written')).toBe(false);
    return tx.person.findMany({
      where: { companyId: 'written' },
      select: { fullName: true },
      orderBy: { fullName: 'asc' },
    });
  });
  expect(people).toEqual([{ fullName: 'Ann' }, { fullName: 'Ben' }]);
  expect(await isThere('written')).toBe(true);
  expect(await db.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
});

test('a transaction that takes too long is undone, whatever its work makes of that', async () => {
  const db = open();
  const late = async (tx: Transaction) => {
    await insert(tx, 'late');
    await sleep(200);
    return insert(tx, 'later').catch(({ code }) => code);
  };
  const outcomes: unknown[] = [];
  const work = db.$transaction(async (tx) => outcomes.push(await late(tx)), { timeout: 100 });
  await expect(work).rejects.toMatchObject({ code: 'P2028' });
  expect(outcomes).toEqual(['P2028']);
  expect([await isThere('late'), await isThere('later')]).toEqual([false, false]);
  expect(await db.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
});

test('a transaction in which a statement failed is not committed, whatever its work makes of that', async () => {
  const db = open();
  const failing = (tx: Transaction) => tx.$queryRaw`SELECT 1 / 0 AS never`.catch(() => 'caught');
  const byZero = { code: '22012' };
  const caught = db.$transaction(async (tx) => {
    await insert(tx, 'before');
    return failing(tx);
  });
  await expect(caught).rejects.toMatchObject(byZero);
  const later = db.$transaction(async (tx) => {
    await failing(tx);
    await insert(tx, 'after');
  });
  await expect(later).rejects.toMatchObject(byZero); // not that the transaction is aborted
  const underway = db.$transaction(async (tx) => {
    await insert(tx, 'meanwhile');
    void failing(tx);
  });
  await expect(underway).rejects.toMatchObject(byZero);
  expect(await Promise.all(['before', 'after', 'meanwhile'].map(isThere))).toEqual([false, false, false]);
  expect(await db.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
});

test('a statement after the end of its transaction is refused', async () => {
  const db = open();
  let kept: Transaction | undefined;
  await db.$transaction(async (tx) => {
    kept = tx;
    await insert(tx, 'in time');
  });
  await expect(kept && insert(kept, 'too late')).rejects.toMatchObject({ code: 'P2028' });
  expect([await isThere('in time'), await isThere('too late')]).toEqual([true, false]);
});
