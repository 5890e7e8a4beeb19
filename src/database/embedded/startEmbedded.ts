import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from '../error.js';
import { findBinaries } from './binaries.js';
import { openCluster } from './cluster.js';
import { keepRunning } from './keepRunning.js';
import { runningServer, ServerInUse, startServer } from './server.js';
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
/** How long a command or a gateway waits for another server, which may be about to stop or to accept connections. */
const handoverMilliseconds = { command: 30_000, gateway: 3_000 };
/** How long it waits for commands that use its server. */
const guestMilliseconds = { command: 3_600_000, gateway: 3_000 };

/**
 * Starts the embedded PostgreSQL, on 127.0.0.1 only. It ends with `stop()`, or when this process ends, even by SIGKILL.
 * If it dies, it is started again. Throws a DatabaseError if it cannot run here or another server uses `dataDir`.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, log = () => {}, throwaway = false, share = false } = options;
  const root = resolve(dataDir);
  const mode = throwaway ? disposable : durable;
  const user = share ? 'command' : 'gateway';
  const account = serverAccount();
  const unusable = (error: Error) => {
    if (error instanceof DatabaseError) throw error;
    throw new DatabaseError(`Cannot store data in ${root} (${error.message}). Set another DATA_DIR, or DATABASE_URL.`);
  };
  await mkdir(root, { recursive: true }).catch(unusable);
  const binaries = await findBinaries(account, root);
  const cluster = await openCluster(root, account, binaries, mode.initdb).catch(unusable);
  const start = (port?: number) => startServer(cluster, account, binaries, mode.settings, port);

  const deadline = Date.now() + handoverMilliseconds[user];
  for (;;) {
    const running = share ? await runningServer(cluster) : undefined;
    const joined = running && (await join(running));
    if (joined) return { url: running, stop: joined.leave };
    try {
      const server = await start();
      log(`PostgreSQL ${binaries.major} is running; its data is in ${cluster.directory}`);
      const kept = keepRunning(server, start, log);
      const stop = async () => {
        await untilAlone(server.url, guestMilliseconds[user]);
        await kept.stop();
      };
      return { url: server.url, stop };
    } catch (error) {
      if (!(error instanceof ServerInUse) || Date.now() > deadline) throw error;
    }
    await sleep(50 + Math.random() * 100);
  }
}
