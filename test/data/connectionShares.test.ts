import { expect, onTestFinished, test } from 'vitest';
import { type ModelDatabase, openModels } from '../../src/database.js';
import { newScope } from '../../src/platform/postgres/deadline.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { preparedStatements } from '../support/pgbouncer.js';

const { url } = await createDatabase();
const from = (flow: string) => ({ id: `token of ${flow}`, flow });
const sleep = (db: Pick<ModelDatabase, '$queryRaw'>, seconds: number) =>
  db.$queryRaw`SELECT pg_sleep(${seconds})::text`;

function open(poolSize: number): ModelDatabase {
  const client = openModels({ url, poolSize, preparedStatements });
  onTestFinished(() => client.$disconnect());
  return client;
}

/** The most connections that were in use at once, from now until it is asked. */
function watch(db: ModelDatabase) {
  let most = 0;
  const look = () => {
    const { open, idle } = db.connectionUse();
    most = Math.max(most, open - idle);
  };
  const timer = setInterval(look, 2);
  return () => {
    look();
    clearInterval(timer);
    return most;
  };
}

/** Runs statements of one request, and returns how many are done. */
function request(
  db: Pick<ModelDatabase, 'within'>,
  caller: string,
  statements: number,
  seconds = 0.2,
  milliseconds = 60_000,
) {
  const progress = { done: 0, all: Promise.resolve<unknown>(undefined) };
  const scoped = db.within(newScope(milliseconds, { caller: from(caller) }));
  progress.all = Promise.all(
    Array.from({ length: statements }, () => sleep(scoped, seconds).then(() => (progress.done += 1))),
  );
  return progress;
}

test('one request holds at most four connections', async () => {
  const db = open(8);
  const most = watch(db);
  await request(db, 'one', 12).all;
  expect(most()).toBe(4);
  expect(db.connectionUse().waiting).toBe(0);
});

test('one caller holds all if nobody else wants any, and half of them otherwise', async () => {
  const db = open(8);
  const alone = watch(db);
  await Promise.all([1, 2, 3].map(() => request(db, 'one', 4).all));
  expect(alone()).toBe(8);
  await request(db, 'other', 4, 0).all;
  const beside = watch(db);
  const flood = [1, 2, 3].map(() => request(db, 'other', 4));
  await eventually(() => expect(db.connectionUse().waiting).toBeGreaterThanOrEqual(8));
  expect(beside()).toBeLessThanOrEqual(4);
  // Who wants one gets it before any of those has given one back.
  await request(db, 'third', 1, 0).all;
  expect(flood.reduce((sum, { done }) => sum + done, 0)).toBeLessThan(12);
  await Promise.all(flood.map(({ all }) => all));
});

test('one caller whose statements take long holds one connection while others want some', async () => {
  const db = open(8);
  await Promise.all([1, 2].map(() => request(db, 'one', 4).all));
  await request(db, 'other', 1, 0).all;
  const most = watch(db);
  const flood = [1, 2].map(() => request(db, 'one', 4, 0.1, 600));
  await eventually(() => expect(db.connectionUse().waiting).toBe(7));
  expect(most()).toBe(1);
  await request(db, 'other', 4, 0).all;
  expect(flood.reduce((sum, { done }) => sum + done, 0)).toBeLessThan(8);
  await Promise.allSettled(flood.map(({ all }) => all));
});

test('what waits for longer than its request may is given up, and leaves its connection to others', async () => {
  const db = open(1);
  const first = request(db, 'one', 1, 0.6);
  await expect(request(db, 'one', 1, 0, 100).all).rejects.toThrow();
  const begin = (milliseconds: number) =>
    db.within(newScope(milliseconds, { caller: from('one') })).$transaction((tx) => tx.$queryRaw`SELECT 1`);
  await expect(begin(100)).rejects.toThrow();
  await first.all;
  await request(db, 'other', 3, 0).all;
  await begin(10_000);
  expect(db.connectionUse()).toMatchObject({ open: 1, waiting: 0 });
});
