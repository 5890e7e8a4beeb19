import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries, openCluster } from '../../src/platform/embedded/cluster.js';
import { type Cluster, commandOf, freePort, serverAccount } from '../../src/platform/embedded/server.js';
import { eventually } from './eventually.js';
import { cpuOfFamily } from './processes.js';
import { query } from './query.js';

/** Starts a server that nobody starts again, and waits until it accepts connections. `stop` shuts it down. */
export async function startServer(cluster: Omit<Cluster, 'home'>, settings: string[], wanted?: number) {
  const { directory, password, account, binaries } = cluster;
  const port = wanted ?? (await freePort());
  const [postgres = '', ...args] = commandOf(cluster, port, settings);
  const child = spawn(postgres, args, {
    ...account,
    cwd: directory,
    env: binaries.env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2000);
  });
  const gone = once(child, 'close');
  const end = () => void child.kill('SIGINT');
  // As when a run is ended: what a test has started ends with it.
  process.once('exit', end);
  const stop = async () => {
    end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await gone;
    clearTimeout(timer);
    process.off('exit', end);
  };
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  await eventually(async () => {
    if (child.exitCode !== null) return;
    await query(url, 'SELECT 1');
  });
  if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${output}`);
  return { url, port, gone, stop };
}

export type Postgres = Awaited<ReturnType<typeof startPostgres>>;

// Without fsync a power cut loses data, but no kill does: what was committed is in the operating system's cache.
const defaults = ['fsync=off', 'max_connections=100'];

/** A PostgreSQL to kill, to freeze and to start again at the same address. */
export async function startPostgres(settings: string[] = [], parent = tmpdir()) {
  const directory = await mkdtemp(join(parent, 'goalpost-postgres-'));
  const account = serverAccount();
  const binaries = await findBinaries(account, directory);
  const cluster = await openCluster(directory, account, binaries, ['--no-sync']);
  const flags = [...defaults, ...settings];
  let server = await startServer(cluster, flags);
  const { url, port } = server;

  const postmaster = async () => Number.parseInt(await readFile(join(cluster.directory, 'postmaster.pid'), 'utf8'), 10);

  async function kill(): Promise<void> {
    process.kill(await postmaster(), 'SIGKILL');
    await server.gone;
  }

  /** Starts it again, once the children of the killed one have ended. */
  async function start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        server = await startServer(cluster, flags, port);
        return;
      } catch (error) {
        if (attempt === 5) throw error;
        await sleep(500);
      }
    }
  }

  /** Freezes the server and every connection; returns what lets it go on. */
  async function freeze(): Promise<() => void> {
    const children = await query(url, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    const pids = [await postmaster(), ...children.map(({ pid }) => Number(pid))];
    const signal = (name: NodeJS.Signals) => pids.forEach((pid) => void isSignaled(pid, name));
    signal('SIGSTOP');
    return () => signal('SIGCONT');
  }

  const answers = () =>
    query(url, 'SELECT 1').then(
      () => true,
      () => false,
    );

  async function stop(): Promise<void> {
    await server.stop();
    await rm(directory, { recursive: true, maxRetries: 20 });
  }

  const cpuSeconds = async () => cpuOfFamily(await postmaster());

  return { url, kill, start, freeze, answers, stop, cpuSeconds };
}

function isSignaled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // It has ended.
  }
}
