import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseError } from '../postgres/index.js';
import { findBinaries, openCluster } from './cluster.js';
import { runningServer, type Server, ServerInUse, serverAccount, startServer } from './server.js';

const sharedLock = 72707371;
const connecting = { connectionTimeoutMillis: 2_000 };

/**
 * Keeps the server of another process from stopping until `leave()`, or until this process ends. Returns undefined if
 * the server does not respond or is about to stop.
 */
async function join(url: string): Promise<{ leave(): Promise<void> } | undefined> {
  const client = connection(url);
  try {
    await client.connect();
    const { rows } = await client.query('SELECT pg_try_advisory_lock_shared($1) AS joined', [sharedLock]);
    if (rows[0].joined) return { leave: () => client.end() };
  } catch {
    // It stops or starts just now.
  }
  await client.end().catch(() => {});
  return undefined;
}

/** Waits until all who joined the server have left. From then on nobody can join. */
async function untilAlone(url: string, milliseconds: number): Promise<void> {
  const client = connection(url, milliseconds);
  try {
    await client.connect();
    // Ends with the server: until then the lock, or the wait for it, keeps others from joining.
    await client.query('SELECT pg_advisory_lock($1)', [sharedLock]);
  } catch {
    // It does not respond, or another command is still using it: it stops anyway.
  }
}

function connection(url: string, queryTimeout = 5_000): pg.Client {
  const client = new pg.Client({ connectionString: url, ssl: false, ...connecting, query_timeout: queryTimeout });
  return client.on('error', () => {}); // the server may end first
}

const shortestPause = 100;
const longestPause = 30_000;
/** A server that ran for so long is started again at once. */
const steadyMilliseconds = 60_000;

/** Starts the server again, at the same port, whenever it dies. The pauses grow while it does not stay up. */
function keepRunning(
  server: Server,
  start: (port: number) => Promise<Server>,
  log: (message: string) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let current: Server | undefined = server;

  async function watch(): Promise<void> {
    for (let pause = shortestPause; ; pause = Math.min(2 * pause, longestPause)) {
      const since = Date.now();
      await current?.process.gone;
      if (signal.aborted) return;
      if (current) log(`PostgreSQL stopped unexpectedly:\n${current.process.output()}`);
      if (Date.now() - since > steadyMilliseconds) pause = shortestPause;
      await sleep(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      current = await again();
      if (signal.aborted) current?.process.stop();
    }
  }

  async function again(): Promise<Server | undefined> {
    try {
      const started = await start(server.port);
      log('PostgreSQL is running again');
      return started;
    } catch (error) {
      log(`PostgreSQL could not be started again; trying on. ${(error as Error).message}`);
      return undefined;
    }
  }

  const watching = watch();
  const stop = async () => {
    stopping.abort();
    current?.process.stop();
    await watching;
  };
  return { stop };
}

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
