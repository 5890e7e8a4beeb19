import { expect, onTestFinished, test } from 'vitest';
import { type OwnDatabase, openModels } from '../../src/database.js';
import { FairQueue, LongRequest } from '../../src/platform/limits/index.js';
import { newScope } from '../../src/platform/postgres/deadline.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { temporaryDatabase } from '../support/temporary.js';

const { url } = await temporaryDatabase();

function open(poolSize: number): OwnDatabase {
  const client = openModels({ url, poolSize, preparedStatements });
  onTestFinished(() => client.$disconnect());
  return client;
}

/** Runs statements of one request at once. */
function request(db: OwnDatabase, statements: number, seconds: number, milliseconds = 60_000) {
  const scoped = db.within(newScope(milliseconds));
  const sleep = () => scoped.$queryRaw`SELECT pg_sleep(${seconds})::text`;
  return Promise.all(Array.from({ length: statements }, sleep));
}

test('one request holds one connection at a time, so that as many as there are connections hold up no other', async () => {
  const db = open(4);
  let most = 0;
  const look = setInterval(() => {
    const { open, idle, waiting } = db.connectionUse();
    most = Math.max(most, open - idle + waiting);
  }, 2);
  await Promise.all([1, 2, 3].map(() => request(db, 8, 0.02)));
  clearInterval(look);
  expect(most).toBe(3);
});

test('what waits for longer than its request may is given up, and leaves its connection to others', async () => {
  const db = open(1);
  const first = request(db, 1, 0.6);
  await expect(request(db, 1, 0, 100)).rejects.toThrow();
  const begin = (milliseconds: number) =>
    db.within(newScope(milliseconds)).$transaction((tx) => tx.$queryRaw`SELECT 1`);
  await expect(begin(100)).rejects.toThrow();
  await first;
  await request(db, 3, 0);
  await begin(10_000);
  expect(db.connectionUse()).toMatchObject({ open: 1, waiting: 0 });
});

test('of the requests that read much, one goes on at a time: the others read again when it is their turn', async () => {
  const db = open(4);
  const queue = new FairQueue({ seats: 1, refuses: false });
  const order: string[] = [];
  const statements: Record<string, number> = {};
  const reader = (name: string, characters: number, milliseconds = 60_000) => {
    const reads = new LongRequest(queue, { id: name, flow: name });
    const observer = {
      beginStatement: () => {
        statements[name] = (statements[name] ?? 0) + 1;
        return undefined;
      },
      countRepetition: () => {},
    };
    const scoped = db.within(newScope(milliseconds, { observer, reads }));
    const read = scoped.$queryRaw<{ text: string }[]>`SELECT repeat('x', ${characters}) AS text`.then(([row]) => {
      order.push(name);
      return row?.text.length;
    });
    return { end: () => reads.end(), read };
  };
  const first = reader('first', 1_500_000);
  expect(await first.read).toBe(1_500_000);
  const second = reader('second', 2_000_000);
  const late = reader('late', 2_000_000, 300);
  const isRefused = expect(late.read).rejects.toThrow('in time');
  const short = reader('short', 900_000);
  expect(await short.read).toBe(900_000);
  await isRefused;
  late.end();
  expect(order).toEqual(['first', 'short']);
  first.end();
  expect(await second.read).toBe(2_000_000);
  second.end();
  // The place that the late one waited for goes to nobody.
  await expect.poll(() => [queue.taken, queue.waiting]).toEqual([0, 0]);
  const third = reader('third', 2_000_000);
  expect(await third.read).toBe(2_000_000);
  expect(statements).toEqual({ first: 1, second: 2, short: 1, late: 1, third: 1 });
});
