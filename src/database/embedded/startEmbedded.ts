import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DatabaseError } from '../error.js';
import { findBinaries } from './binaries.js';
import { openCluster } from './cluster.js';
import { runningServer, startServer } from './server.js';
import { serverAccount } from './serverProcess.js';

interface EmbeddedOptions {
  /** Directory of the data, which the first start creates. */
  dataDir: string;
  log?: (message: string) => void;
  /** For tests: faster and with more connections, but a power cut loses the data. */
  throwaway?: boolean;
  /** For short commands: use a server that already runs there instead of throwing. */
  share?: boolean;
}

const durable = { initdb: [], settings: [] };
const disposable = {
  initdb: ['--no-sync'],
  settings: ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'],
};

/**
 * Starts the embedded PostgreSQL, on 127.0.0.1 only. It ends with `stop()`, or when this process ends, even by SIGKILL.
 * Throws a DatabaseError if it cannot run here or another server uses `dataDir`.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<{ url: string; stop(): Promise<void> }> {
  const { dataDir, log = () => {}, throwaway = false, share = false } = options;
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
  const running = share && (await runningServer(cluster));
  if (running) return { url: running, stop: async () => {} };

  const { process, url } = await startServer(cluster, account, binaries, mode.settings);
  log(`PostgreSQL ${binaries.major} is running; its data is in ${cluster.directory}`);
  let stopping = false;
  process.gone.then(() => stopping || log(`PostgreSQL stopped unexpectedly:\n${process.output()}`));
  const stop = async () => {
    stopping = true;
    process.stop();
    await process.gone;
  };
  return { url, stop };
}
