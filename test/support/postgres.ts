import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries, openCluster } from '../../src/platform/embedded/cluster.js';
import { type Server, serverAccount, startServer } from '../../src/platform/embedded/server.js';
import { cpuOfFamily } from './processes.js';
import { query } from './query.js';

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
  let server: Server = await startServer(cluster, account, binaries, flags);
  const { url, port } = server;

  const postmaster = async () => Number.parseInt(await readFile(join(cluster.directory, 'postmaster.pid'), 'utf8'), 10);

  async function kill(): Promise<void> {
    process.kill(await postmaster(), 'SIGKILL');
    await server.process.gone;
  }

  /** Starts it again, once the children of the killed one have ended. */
  async function start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        server = await startServer(cluster, account, binaries, flags, port);
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
    server.process.stop();
    await server.process.gone;
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
