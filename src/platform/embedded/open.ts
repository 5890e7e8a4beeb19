import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from '../postgres/index.js';
import { findBinaries, openCluster } from './cluster.js';
import {
  accepts,
  type Cluster,
  freePort,
  leaveServer,
  lockFile,
  removeStaleLock,
  type Supervisor,
  serverAccount,
  startSupervisor,
  useServer,
} from './server.js';

interface EmbeddedOptions {
  /** Directory of the data, which the first start creates. */
  dataDir: string;
  log?: (message: string) => void;
  /** For tests: faster and with more connections, but a power cut loses the data. */
  throwaway?: boolean;
}

interface Embedded {
  url: string;
  /** Whether another process had started it. */
  wasRunning: boolean;
  stop(): Promise<void>;
}

/** Nothing of it is needed again: nothing is written for a crash, for a standby, or for the statistics of a long life. */
const disposable = [
  ...['fsync=off', 'full_page_writes=off', 'max_connections=300'],
  ...['autovacuum=off', 'wal_level=minimal', 'max_wal_senders=0', 'checkpoint_timeout=1h', 'max_wal_size=4GB'],
];
/** Another server may be about to stop, and this one has to recover first if it was killed. */
const startMilliseconds = 30_000;
/** How long to wait for the server to end: it does not as long as others use it. */
const stopMilliseconds = 3_000;

/**
 * Uses the embedded PostgreSQL, on 127.0.0.1 only: the one that runs, or one that it starts. The server ends when nobody
 * uses it any more: with the last `stop()`, or the end of the last process, even by SIGKILL. If it dies, it is started
 * again. Throws a DatabaseError if it cannot run here.
 */
export async function startEmbedded({
  dataDir,
  log = () => {},
  throwaway = false,
}: EmbeddedOptions): Promise<Embedded> {
  const root = resolve(dataDir);
  const account = serverAccount();
  const unusable = (error: Error) => {
    if (error instanceof DatabaseError) throw error;
    throw new DatabaseError(`Cannot store data in ${root} (${error.message}). Set another DATA_DIR, or DATABASE_URL.`);
  };
  await mkdir(root, { recursive: true }).catch(unusable);
  const binaries = await findBinaries(account, root);
  const cluster = await openCluster(root, account, binaries, throwaway ? ['--no-sync'] : []).catch(unusable);
  return join(cluster, throwaway ? disposable : [], log);
}

/** Uses the server once it accepts connections. Without a supervisor, starts one. */
async function join(cluster: Cluster, settings: string[], log: (message: string) => void): Promise<Embedded> {
  let [user, own]: [number?, Supervisor?] = [];
  let isReady = false;
  const onEnd = (output: string) => {
    if (isReady) log(`PostgreSQL stopped unexpectedly, and is started again:\n${output}`);
  };
  const stop = async () => {
    leaveServer(user);
    user = undefined;
    // The process ends as soon as the server has.
    await Promise.race([own?.gone, sleep(own ? stopMilliseconds : 0, undefined, { ref: false })]);
    own?.leave();
  };
  try {
    for (const deadline = Date.now() + startMilliseconds; ; await sleep(20 + Math.random() * 80)) {
      const next = useServer(cluster);
      leaveServer(user);
      user = next;
      if (user === undefined && (!own || own.hasEnded)) {
        removeStaleLock(cluster);
        own = startSupervisor(cluster, { port: await freePort(), settings, onEnd });
      }
      const { pid, port } = lockFile(cluster);
      const url = `postgresql://postgres:${cluster.password}@127.0.0.1:${port}/postgres`;
      if (user !== undefined && port && (await accepts(url))) {
        isReady = true;
        const wasRunning = !own || own.hasEnded;
        if (!wasRunning) log(`PostgreSQL ${cluster.binaries.major} is running; its data is in ${cluster.directory}`);
        return { url, wasRunning, stop };
      }
      const output = own?.output() ?? '';
      // Another server, or what was connected to it, is about to stop.
      const isInUse = /lock file|shared memory block/.test(output);
      if (Date.now() < deadline && (isInUse || !output.includes('PostgreSQL ended'))) continue;
      const remedy = 'Stop the program that started it, or set another DATA_DIR or DATABASE_URL.';
      if (output === '')
        throw new DatabaseError(
          `A program keeps a PostgreSQL running in ${cluster.directory}, which does not answer at 127.0.0.1:${port}: it recovers for long, or runs in another container. ${remedy}`,
        );
      throw new DatabaseError(
        pid && isInUse
          ? `PostgreSQL finds ${cluster.directory} in use; its postmaster.pid names the process ${pid}, which runs. ${remedy}`
          : `PostgreSQL did not start in ${cluster.directory}:\n${output}`,
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }
}
