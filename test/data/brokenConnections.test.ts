import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openModels } from '../../src/database.js';
import { isTimeout, isUnavailable } from '../../src/platform/postgres/errors.js';
import { openPool } from '../../src/platform/postgres/pool.js';
import { usesPgbouncer } from '../support/pgbouncer.js';
import { query } from '../support/query.js';
import { listening, temporaryDatabase } from '../support/temporary.js';

const message = (type: string, body: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const terminated = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));

test('a connection that the server ends as soon as it is made fails one statement and nothing else', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, terminated])));
  });
  const url = `postgresql://nobody@127.0.0.1:${await listening(server)}/none`;
  const db = openModels({ url, poolSize: 2, preparedStatements: true });
  const uncaught = vi.fn();
  process.on('uncaughtException', uncaught);
  onTestFinished(async () => {
    process.off('uncaughtException', uncaught);
    await db.$disconnect();
  });
  const failures = await Promise.all([
    db.$queryRaw`SELECT 1`.catch((error: unknown) => error),
    db.$transaction((tx) => tx.$queryRaw`SELECT 1`).catch((error: unknown) => error),
  ]);
  expect(failures.map(isUnavailable)).toEqual([true, true]);
  expect(uncaught).not.toHaveBeenCalled();
});

test.skipIf(usesPgbouncer)('a connection that breaks while nobody listens does not end the process', async () => {
  const { gatewayUrl, url } = await temporaryDatabase();
  const { pool, close } = openPool({ url: gatewayUrl, poolSize: 1, name: 'unheard' });
  const uncaught = vi.fn();
  process.on('uncaughtException', uncaught);
  onTestFinished(async () => {
    process.off('uncaughtException', uncaught);
    await close();
  });
  await pool.query('SELECT 1');
  await query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'unheard'");
  await expect.poll(() => pool.totalCount).toBe(0);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  expect(uncaught).not.toHaveBeenCalled();
});

test('a connection whose server is silent is given up while it is in use, and not while it is idle', async () => {
  let isSilent = false;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.concat([authenticated, ready]));
      socket.on('data', () => void (isSilent || socket.write(ready)));
    });
  });
  const url = `postgresql://nobody@127.0.0.1:${await listening(server)}/none`;
  const response = 100;
  const timeouts = { connect: 10_000, response, statement: 0, lock: 0, idleTransaction: 0 };
  const { pool, close } = openPool({ url, poolSize: 1, name: 'silent', timeouts });
  onTestFinished(close);
  await pool.query('SELECT 1');
  await sleep(3 * response);
  expect(pool.totalCount).toBe(1);
  isSilent = true;
  const failure = await pool.query('SELECT 1').catch((error: unknown) => error);
  expect([isUnavailable(failure), isTimeout(failure), pool.totalCount]).toEqual([true, true, 0]);
});
