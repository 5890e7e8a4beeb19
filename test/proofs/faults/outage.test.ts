import { execFileSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../src/platform/embedded/server.js';
import { Restorer } from '../../../tools/faults/restorer.js';
import { eventually } from '../../support/eventually.js';
import { commandOutput, goalpost } from '../../support/goalpost.js';
import { startPostgres } from '../../support/postgres.js';
import { query } from '../../support/query.js';
import { createRestorables, type Restorable } from '../../support/restorables.js';
import { startServer } from '../../support/server.js';
import { temporaryFolder, temporaryServer } from '../../support/temporary.js';
import type { Json } from '../../support/world.js';

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let token: string;
beforeAll(async () => {
  postgres = await startPostgres();
  const settings = { DATABASE_URL: postgres.url };
  await commandOutput(['migrate'], settings);
  ({ token } = await createRestorables(settings, 1));
});
afterAll(() => postgres.stop());

const scrape = async (port: number) => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return /^goalpost_database_up (\d)$/m.exec(text)?.[1];
};

/** Lines of the log, without those of requests. */
const said = (lines: Json[]) => lines.filter(({ msg }) => msg !== 'request').map(({ level, msg }) => [level, msg]);

describe('a start', () => {
  test('waits for its database, says so once, and the metrics show it', async () => {
    await postgres.kill();
    const port = await freePort();
    const started = temporaryServer(
      { DATABASE_URL: postgres.url, METRICS_PORT: String(port), LOG_LEVEL: 'warn' },
      { quiet: true },
    );
    await eventually(async () => expect(await scrape(port)).toBe('0'));
    await sleep(3_000);
    await postgres.start();
    const { base, lines } = await started;
    expect((await fetch(`${base}/readyz`)).status).toBe(200);
    await eventually(async () => expect(await scrape(port)).toBe('1'));
    expect(said(lines())).toEqual([
      [40, 'waiting for the database'],
      [40, 'the database is there'],
    ]);
  });

  test('that loses its connections again and again waits as well', async () => {
    const started = startServer({ DATABASE_URL: postgres.url, LOG_LEVEL: 'warn' }, { quiet: true });
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;
    for (let cuts = 0; cuts < 8; await sleep(20)) cuts += (await query(postgres.url, cut)).length;
    const { base, lines, stop } = await started;
    expect((await fetch(`${base}/readyz`)).status).toBe(200);
    await stop();
    expect(said(lines())).toContainEqual([40, 'the database is there']);
  });

  test.each([
    ['a password that is wrong', (url: URL) => Object.assign(url, { password: 'wrong' })],
    ['a database that is not there', (url: URL) => Object.assign(url, { pathname: '/nowhere' })],
  ])('does not wait for %s', async (_what, change) => {
    const url = change(new URL(postgres.url)).href;
    expect(await goalpost(['serve'], { DATABASE_URL: url, PORT: '0' })).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('an outage', () => {
  test('under load is one warning when it begins and one when it ends', async () => {
    const port = await freePort();
    const settings = {
      DATABASE_URL: postgres.url,
      METRICS_PORT: String(port),
      LOG_LEVEL: 'info',
      RATE_LIMIT_PER_TOKEN: '1000000',
    };
    const { base, client, lines } = await temporaryServer(settings, { quiet: true });
    await eventually(async () => expect(await scrape(port)).toBe('1'));
    const statuses: number[] = [];
    let isOver = false;
    const load = Array.from({ length: 16 }, async () => {
      while (!isOver) {
        statuses.push((await client.graphql(token, '{ goals { nodes { id } } }')).status);
        await sleep(50);
      }
    });
    await postgres.kill();
    await eventually(async () => expect(await scrape(port)).toBe('0'));
    expect((await fetch(`${base}/readyz`)).status).toBe(503);
    await sleep(4_000);
    await postgres.start();
    const back = performance.now();
    await eventually(() => expect(lines().at(-1)?.msg === 'request' || lines().length > 0).toBe(true));
    await eventually(() => expect(said(lines()).at(-1)).toEqual([40, 'the database works again']));
    // The last poll may have been put off; none is waited for after it.
    expect(performance.now() - back).toBeLessThan(5_000);
    isOver = true;
    await Promise.all(load);
    const outage = said(lines()).filter(([level]) => Number(level) > 30);
    expect(outage).toEqual([
      [40, 'the database fails; what needs it gets 503 meanwhile'],
      [40, 'the database works again'],
    ]);
    expect([...new Set(statuses)].sort()).toEqual([200, 503]);
    const failed = lines().filter(({ msg, status }) => msg === 'request' && status === 503);
    expect(failed.filter(({ problem }) => problem)).not.toEqual([]);
  });
});

// A disk of its own needs a mount.
test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'a full disk: changes fail, reads and /readyz do not, and goalpost check says why',
  async () => {
    const disk = await temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m,mode=755', 'tmpfs', disk]);
    const small = await startPostgres([], disk);
    const settings = { DATABASE_URL: small.url };
    await commandOutput(['migrate'], settings);
    const restorables = await createRestorables(settings, 1);
    const { base, client, lines, stop } = await startServer(
      { ...settings, LOG_LEVEL: 'info', RATE_LIMIT_PER_TOKEN: '1000000' },
      { quiet: true },
    );
    try {
      const ballast = await open(join(disk, 'ballast'), 'a');
      while ((await ballast.write(Buffer.alloc(4096)).catch(() => undefined)) !== undefined);
      const restorer = new Restorer(base, restorables.token, restorables.documents[0] as Restorable);
      const running = restorer.run();
      await eventually(() => expect(restorer.answers.at(-1)?.status).toBe(503));
      const reads = await client.graphql(restorables.token, '{ goals { nodes { id } } }');
      expect([reads.status, (await fetch(`${base}/readyz`)).status]).toEqual([200, 200]);
      const { code, stdout } = await goalpost(['check'], settings);
      expect([code, stdout.split('\n')[1]]).toEqual([
        1,
        expect.stringMatching(/^ {2}problem {2}a sort on the disk of the server fails: .*No space left on device/),
      ]);
      await ballast.close();
      await rm(join(disk, 'ballast'));
      expect((await goalpost(['check'], settings)).code).toBe(0);
      await eventually(() => expect(restorer.answers.at(-1)?.status).toBe(200));
      restorer.stop();
      await running;
      expect(lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
    } finally {
      await stop();
      await small.stop();
      execFileSync('umount', ['--lazy', disk]);
    }
  },
);
