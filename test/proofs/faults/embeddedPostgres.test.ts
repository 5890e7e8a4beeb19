import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEmbedded } from '../../../src/platform/embedded/open.js';
import { freePort, serverAccount } from '../../../src/platform/embedded/server.js';
import { pathOf } from '../../support/documents.js';
import { eventually } from '../../support/eventually.js';
import { query } from '../../support/query.js';
import { temporaryFolder } from '../../support/temporary.js';

const embedded = pathOf('src/platform/embedded/open.ts');
const asRoot = process.getuid?.() === 0;
const cleanups: (() => Promise<unknown>)[] = [];
let dataDir: string;

beforeEach(async () => {
  dataDir = join(await temporaryFolder(), 'clone', '.data');
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('the first start makes a UTF-8 PostgreSQL 18 that listens on 127.0.0.1, with a password', async () => {
  const { url } = await start();
  expect(await setting(url, 'server_version')).toMatch(/^18\./);
  expect(await setting(url, 'server_encoding')).toBe('UTF8');
  expect(await setting(url, 'listen_addresses')).toBe('127.0.0.1');
  expect(await setting(url, 'unix_socket_directories')).toBe('');
  expect((await lstat(join(dataDir, 'postgres', 'password'))).mode & 0o777).toBe(0o600);

  const wrong = new URL(url);
  wrong.password = 'guess';
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
});

test('a parent killed with SIGKILL leaves no process, and its directory starts again', async () => {
  const { child, url } = await startInChild();
  await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  const server = await serverPid();
  child.kill('SIGKILL');
  await eventually(() => expect(isAlive(server)).toBe(false));

  const again = await start();
  expect(await query(again.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
});

test('a server killed together with its parent leaves a stale lock file, which does not matter', async () => {
  const { child } = await startInChild();
  const server = await serverPid();
  process.kill(server, 'SIGKILL');
  child.kill('SIGKILL');
  await start();
});

test('a lock file whose number another process has meanwhile is stale', async () => {
  const first = await start();
  const file = join(dataDir, 'postgres', 'data', 'postmaster.pid');
  const [, ...rest] = (await readFile(file, 'utf8')).split('\n');
  await first.stop();
  const stranger = spawn('sleep', ['60'], { ...serverAccount(), stdio: 'ignore' });
  cleanups.push(async () => stranger.kill());
  await writeFile(file, [stranger.pid, ...rest].join('\n'));
  const starting = performance.now();
  expect(await query((await start()).url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  expect(performance.now() - starting).toBeLessThan(20_000);
});

test('a server that runs and cannot be reached, as in another container, is said to be one', async () => {
  await start();
  const file = join(dataDir, 'postgres', 'data', 'postmaster.pid');
  const text = await readFile(file, 'utf8');
  const lines = text.split('\n');
  lines[3] = String(await freePort());
  await writeFile(file, lines.join('\n'));
  await expect(start()).rejects.toThrow(
    `A program keeps a PostgreSQL running in ${join(dataDir, 'postgres', 'data')}, which does not answer at 127.0.0.1:${lines[3]}: it recovers`,
  );
  await writeFile(file, text);
});

test('a cluster that a symbolic link leads to is used', async () => {
  const first = await start();
  await first.stop();
  await rename(join(dataDir, 'postgres'), join(dataDir, '..', 'elsewhere'));
  await symlink(join(dataDir, '..', 'elsewhere'), join(dataDir, 'postgres'));
  expect(await query((await start()).url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
});

test('Ctrl-C in the terminal does not reach the server', async () => {
  const { child, url } = await startInChild({ detached: true, script: "process.on('SIGINT', () => {});" });
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await sleep(300);
  expect(await query(url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
});

test('a server that runs is used, and ends with its last user', async () => {
  const first = await start();
  const server = await serverPid();
  const { child, url } = await startInChild();
  expect(url).toBe(first.url);
  await first.stop();
  expect(await query(url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  child.kill('SIGKILL');
  await eventually(() => expect(isAlive(server)).toBe(false));
});

test('a server that is killed again and again is started after growing pauses, and can be stopped in one', async () => {
  const { url, stop } = await start();
  const kills: number[] = [];
  for (let kill = 1; kill <= 6; kill += 1) {
    await eventually(() => query(url, 'SELECT 1'));
    process.kill(await serverPid(), 'SIGKILL');
    kills.push(Date.now());
    await sleep(50);
  }
  expect(Number(kills[5]) - Number(kills[4])).toBeGreaterThan(1_500);
  const stopping = performance.now();
  await stop();
  expect(performance.now() - stopping).toBeLessThan(1_500);
});

test('a cluster of another major version is refused', async () => {
  const first = await start();
  await first.stop();
  await writeFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '17\n');
  await expect(start()).rejects.toThrow(/created by PostgreSQL 17, but this is PostgreSQL 18/);
});

test('a first start killed in the middle is made again', async () => {
  const { child } = await startInChild({ untilReady: false });
  await eventually(async () => expect(await filesInUnfinished()).toContain('base'), { interval: 5 });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await readdir(dataDir)).not.toContain('postgres');

  const { url } = await start();
  expect(await query(url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
});

test('a process killed before it uses the server that it has started leaves no process', async () => {
  await mkdir(dataDir, { recursive: true });
  const source = `import { findBinaries, openCluster } from ${JSON.stringify(pathOf('src/platform/embedded/cluster.ts'))};
    import { serverAccount, startSupervisor } from ${JSON.stringify(pathOf('src/platform/embedded/server.ts'))};
    const [account, root] = [serverAccount(), ${JSON.stringify(dataDir)}];
    const cluster = await openCluster(root, account, await findBinaries(account, root), []);
    startSupervisor(cluster, { port: ${await freePort()}, settings: [], onEnd: console.error });
    process.kill(process.pid, 'SIGKILL');`;
  await once(spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', source]), 'exit');
  const left = () => processesIn(join(dataDir, 'postgres', 'data'));
  await eventually(async () => expect(await left()).not.toEqual([]));
  await eventually(async () => expect(await left()).toEqual([]), { interval: 500 });
  await start();
});

test('two first starts at once make one cluster', async () => {
  const [one, other] = await Promise.all([start(), start()]);
  expect(one.url).toBe(other.url);
  expect(await readdir(dataDir)).toEqual(['postgres']);
});

test.skipIf(!asRoot)('root in a private home: the server runs as another user', async () => {
  await mkdir(dataDir, { recursive: true });
  await chmod(join(dataDir, '..'), 0o700);
  const first = await start();
  const status = await lstat(`/proc/${await serverPid()}`);
  expect(status.uid).not.toBe(0);
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.stop();

  const second = await start();
  expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
});

test.skipIf(!asRoot)('a cluster that belongs to somebody else is refused', async () => {
  await mkdir(join(dataDir, 'postgres', 'data'), { recursive: true });
  await expect(start()).rejects.toThrow(/belongs to uid 0, but PostgreSQL would run as uid/);
});

async function start() {
  const server = await startEmbedded({ dataDir, throwaway: true });
  cleanups.push(server.stop);
  return server;
}

type ChildOptions = { untilReady?: boolean; detached?: boolean; script?: string };

async function startInChild({ untilReady = true, detached = false, script = '' }: ChildOptions = {}) {
  const source = `import { startEmbedded } from ${JSON.stringify(embedded)};
    ${script}
    setInterval(() => {}, 1000);
    console.log((await startEmbedded({ dataDir: ${JSON.stringify(dataDir)} })).url);`;
  const flags = ['--import', 'tsx', '--input-type=module', '-e', source];
  const child: ChildProcess = spawn(process.execPath, flags, {
    detached,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanups.push(async () => child.kill('SIGKILL'));
  if (!untilReady || !child.stdout) return { child, url: '' };
  const [line] = await once(child.stdout, 'data');
  return { child, url: String(line).trim() };
}

async function serverPid(): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
}

async function filesInUnfinished(): Promise<string[]> {
  const [unfinished = ''] = await readdir(dataDir);
  return unfinished.startsWith('postgres.new-') ? readdir(join(dataDir, unfinished, 'data')) : [];
}

/** Those that work in a folder. */
async function processesIn(folder: string): Promise<string[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(all.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return all.filter((_, index) => places[index] === folder);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function setting(url: string, name: string) {
  const [row] = await query(url, 'SELECT current_setting($1) AS value', [name]);
  return row?.value;
}
