import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from '../error.js';
import { SessionClient } from '../servers/sessionClient.js';
import type { Binaries } from './binaries.js';
import type { Cluster } from './cluster.js';
import { freePort } from './freePort.js';
import { type Account, type ServerProcess, startProcess } from './serverProcess.js';

/** A PostgreSQL server that accepts connections at `url`. */
export interface Server {
  process: ServerProcess;
  port: number;
  url: string;
}

/** Another server uses the data directory or the port. It may be about to stop. */
export class ServerInUse extends DatabaseError {}

const startMilliseconds = 30_000;

/**
 * Starts the server and waits until it accepts connections, on a free port if none is given. Throws a ServerInUse if
 * another one runs, and a DatabaseError if it does not accept any within 30 seconds.
 */
export async function startServer(
  cluster: Cluster,
  account: Account,
  binaries: Binaries,
  settings: string[],
  wanted?: number,
): Promise<Server> {
  const port = wanted ?? (await freePort());
  const listen = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const flags = [...listen, ...settings].flatMap((setting) => ['-c', setting]);
  const command = [join(binaries.directory, 'bin', 'postgres'), '-D', cluster.serverName, ...flags];
  const process = startProcess(command, cluster.directory, account, binaries.env);
  const url = urlOf(cluster, port);
  if (await becomesReady(url, process)) return { process, port, url };

  process.stop();
  await process.gone;
  const output = process.output();
  if (/lock file .* already exists|shared memory block .* still in use/s.test(output)) {
    const [pid] = await lockFile(cluster);
    throw new ServerInUse(
      `A PostgreSQL server (pid ${pid}) already runs on ${cluster.directory}. ` +
        'Stop the program that started it, or set another DATA_DIR or DATABASE_URL.',
    );
  }
  const isPortTaken = output.includes('could not create any TCP/IP sockets');
  throw new (isPortTaken ? ServerInUse : DatabaseError)(`PostgreSQL did not start in ${cluster.directory}:\n${output}`);
}

/** The URL of the server that another process runs on the cluster, if there is one. */
export async function runningServer(cluster: Cluster): Promise<string | undefined> {
  const port = Number((await lockFile(cluster))[3]);
  return port ? urlOf(cluster, port) : undefined;
}

async function becomesReady(url: string, process: ServerProcess): Promise<boolean> {
  const deadline = Date.now() + startMilliseconds;
  let ended = false;
  process.gone.then(() => {
    ended = true;
  });
  while (!ended && Date.now() < deadline) {
    const refused = await refusal(url);
    if (refused === undefined) return true;
    if (refused === 'wrong password') return false;
    await sleep(20);
  }
  return false;
}

async function refusal(url: string): Promise<string | undefined> {
  const client = new SessionClient({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code === '28P01' ? 'wrong password' : 'not yet';
  } finally {
    await client.end().catch(() => {});
  }
}

/** The lines of PostgreSQL's postmaster.pid: process id, data directory, start time, port, … */
async function lockFile({ directory }: Cluster): Promise<string[]> {
  return (await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
}

function urlOf({ password }: Cluster, port: number): string {
  return `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
}
