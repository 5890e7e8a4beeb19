import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from '../error.js';
import { findBinaries } from './binaries.js';
import { type Cluster, openCluster } from './cluster.js';
import { keepRunning } from './keepRunning.js';
import { ClusterInUse, runningServer, type Server, startServer } from './server.js';
import { serverAccount } from './serverProcess.js';
import { join, untilAlone } from './sharing.js';

interface EmbeddedOptions {
  /** Directory of the data, which the first start creates. */
  dataDir: string;
  log?: (message: string) => void;
  /** For tests: faster and with more connections, but a power cut loses the data. */
  throwaway?: boolean;
  /** For short commands: use a server that already runs there instead of throwing, and let others use this one. */
  share?: boolean;
  /** Called if the server died and could not be started again. */
  onLost?: (error: DatabaseError) => void;
}

interface Embedded {
  url: string;
  stop(): Promise<void>;
}

const durable = { initdb: [], settings: [] };
const disposable = {
  initdb: ['--no-sync'],
  settings: ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'],
};
const shareMilliseconds = 30_000;
const guestMilliseconds = { command: 3_600_000, gateway: 3_000 };

/**
 * Starts the embedded PostgreSQL, on 127.0.0.1 only. It ends with `stop()`, or when this process ends, even by SIGKILL.
 * If it dies, it is started again. Throws a DatabaseError if it cannot run here or another server uses `dataDir`.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, log = () => {}, throwaway = false, share = false, onLost = () => {} } = options;
  const root = resolve(dataDir);
  const mode = throwaway ? disposable : durable;
  const account = serverAccount();
  const unusable = (error: Error) => {
    if (error instanceof DatabaseError) throw error;
    throw new DatabaseError(`Cannot store data in ${root} (${error.message}). Set another DATA_DIR, or DATABASE_URL.`);
  };
  await mkdir(root, { recursive: true }).catch(unusable);
  const binaries = await findBinaries(account, root);
  const cluster = await openCluster(root, account, binaries, mode.initdb).catch(unusable);

  const start = (port?: number) => startServer(cluster, account, binaries, mode.settings, { port, wait: !share });
  const opened = share ? await joinOrStart(cluster, start) : await start();
  if ('leave' in opened) return { url: opened.url, stop: opened.leave };

  log(`PostgreSQL ${binaries.major} is running; its data is in ${cluster.directory}`);
  const { url } = opened;
  const kept = keepRunning(opened, start, { log, onLost });
  const stop = async () => {
    await untilAlone(url, share ? guestMilliseconds.command : guestMilliseconds.gateway);
    await kept.stop();
  };
  return { url, stop };
}

/** Commands that run at once share the server of the first. When that stops it, the next one starts it again. */
async function joinOrStart(
  cluster: Cluster,
  start: () => Promise<Server>,
): Promise<Server | { url: string; leave(): Promise<void> }> {
  const deadline = Date.now() + shareMilliseconds;
  for (;;) {
    const url = await runningServer(cluster);
    const joined = url && (await join(url));
    if (joined) return { url, ...joined };
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof ClusterInUse) || Date.now() > deadline) throw error;
    }
    await sleep(50 + Math.random() * 100);
  }
}
