import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { builtMain } from '../../support/goalpost.js';
import { query } from '../../support/query.js';
import { startServer } from '../../support/server.js';
import { temporaryFolder, temporaryServer } from '../../support/temporary.js';

const directory = await temporaryFolder();

async function run(...command: string[]) {
  const child = spawn(process.execPath, [builtMain, ...command], {
    env: { ...process.env, DATA_DIR: directory, DATABASE_URL: '' },
  });
  let output = '';
  child.stderr.on('data', (data) => {
    output += data;
  });
  child.stdout.resume();
  const [status] = await once(child, 'close');
  return { status, output };
}

const postmaster = async (dataDir = directory) =>
  Number.parseInt(await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);

test('twelve commands at once share one server, and none stops it while another uses it', async () => {
  const { stop } = await startServer({ DATA_DIR: directory, LOG_LEVEL: 'silent' });
  await stop();
  const runs = Array.from({ length: 12 }, async (_, index) => {
    await sleep(index * 150);
    return run('token', 'list');
  });
  expect(await Promise.all(runs)).toEqual(
    runs.map(() => ({ status: 0, output: `Database: the embedded PostgreSQL in ${directory}\n` })),
  );
  await expect(postmaster()).rejects.toThrow(/ENOENT/);
});

test('a command waits while another server has made its lock file and not written it yet', async () => {
  const lockFile = join(directory, 'postgres', 'data', 'postmaster.pid');
  await writeFile(lockFile, '', { mode: 0o644 });
  const command = run('token', 'list');
  await sleep(2_000);
  await rm(lockFile);
  expect(await command).toMatchObject({ status: 0 });
});

test('a gateway whose PostgreSQL is killed answers again soon', async () => {
  const { base } = await temporaryServer({ DATA_DIR: directory, LOG_LEVEL: 'silent' });
  const isReady = async () => (await fetch(`${base}/readyz`)).status;
  expect(await isReady()).toBe(200);
  process.kill(await postmaster(), 'SIGKILL');
  const statuses = new Set<number>();
  await eventually(async () => {
    const status = await isReady();
    statuses.add(status);
    expect(status).toBe(200);
  });
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  const page = await fetch(`${base}/`, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
});

test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'a gateway whose disk is full for long answers 503, and 200 once there is space',
  async () => {
    const disk = await temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m,mode=755', 'tmpfs', disk]);
    const { base, log, stop } = await startServer({ DATA_DIR: disk, LOG_LEVEL: 'info' });
    const isReady = async () => (await fetch(`${base}/readyz`)).status;
    const ballast = join(disk, 'ballast');
    try {
      const filled = await open(ballast, 'a');
      const statuses = new Set<number>();
      for (const end = performance.now() + 15_000; performance.now() < end; ) {
        while ((await filled.write(Buffer.alloc(64 * 1024)).catch(() => undefined)) !== undefined);
        statuses.add(await isReady());
        // Its log cannot be written either, which ends it; nor can it start.
        const pid = await postmaster(disk).catch(() => 0);
        if (pid) kill(pid, 'SIGKILL');
        await sleep(100);
      }
      await filled.close();
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(await isReady()).toBe(503);
      await rm(ballast);
      await eventually(async () => expect(await isReady()).toBe(200));
      expect(log()).toContain('PostgreSQL stopped unexpectedly, and is started again');
    } finally {
      await stop();
      execFileSync('umount', ['--lazy', disk]);
    }
  },
);

test('a gateway whose PostgreSQL is frozen ends on SIGTERM', async () => {
  const { base, stop } = await startServer({ DATA_DIR: directory, LOG_LEVEL: 'silent' });
  const frozen = await postmaster();
  const children = (await query(await url(), 'SELECT pid FROM pg_stat_activity')).map(({ pid }) => Number(pid));
  for (const pid of [frozen, ...children]) kill(pid, 'SIGSTOP');
  const waiting = fetch(`${base}/readyz`);
  await sleep(500);
  const start = performance.now();
  await stop();
  expect(performance.now() - start).toBeLessThan(30_000);
  expect((await waiting).status).toBe(503);
  for (const pid of children) kill(pid, 'SIGCONT');
});

test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'a user id without a name is told to set DATABASE_URL',
  async () => {
    const child = spawn(process.execPath, [builtMain, 'serve'], {
      uid: 23_456,
      gid: 23_456,
      cwd: '/',
      env: { PATH: process.env.PATH, DATA_DIR: join(tmpdir(), 'goalpost-nameless'), PORT: '0' },
    });
    let output = '';
    child.stderr.on('data', (data) => {
      output += data;
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output).toContain('the user id 23456 has no name on this system. Set DATABASE_URL.');
  },
);

async function url(): Promise<string> {
  const password = await readFile(join(directory, 'postgres', 'password'), 'utf8');
  const [, , , port] = (await readFile(join(directory, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split('\n');
  return `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
