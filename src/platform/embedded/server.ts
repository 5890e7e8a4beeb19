import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseError } from '../postgres/index.js';

/** A port of 127.0.0.1 that nobody listens on now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** The operating-system account that PostgreSQL runs as. Empty if it is the account of this process. */
export interface Account {
  uid?: number;
  gid?: number;
}

/** PostgreSQL's programs: `directory` has bin, lib and share; `major` is the version, such as `18`. */
export interface Binaries {
  directory: string;
  major: string;
  env: NodeJS.ProcessEnv;
}

/** PostgreSQL's data directory, the path by which the server reaches it, and the password of the user `postgres`. */
export interface Cluster {
  directory: string;
  serverName: string;
  password: string;
}

/** A running PostgreSQL program. `gone` resolves with its exit code once it and its children have ended. */
interface ServerProcess {
  output(): string;
  /** Asks the program to stop; kills it if it has not after five seconds. */
  stop(): void;
  gone: Promise<number | null>;
}

const killMilliseconds = 5_000;

// A killed parent cannot clean up, but its end of the pipe closes. Signals in a loop, as the first may come too early.
const supervised = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r _ <&3; while kill -INT $server; do sleep 1; done; } >/dev/null 2>&1 &
watcher=$!
trap "" HUP INT TERM
wait $server
status=$?
kill $watcher
exit $status`;

/** PostgreSQL refuses to run as root, so root runs it as `postgres` or `nobody`. Throws if neither exists. */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, name]).stdout));
    if (uid && gid) return { uid, gid };
  }
  throw new DatabaseError('PostgreSQL cannot run as root. Add a user "postgres", or set DATABASE_URL.');
}

/** The path by which a process of `account`, started in `directory`, reaches it. Throws if there is none. */
export function nameInside(directory: string, account: Account): string {
  if (!account.uid) return directory;
  const enter = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...account, cwd: '/' });
  if (enter.status === 0) return directory;
  // A child enters the directory before it gives up root, so the server needs no access to the directories above.
  if (process.platform === 'linux') return '/proc/self/cwd';
  throw new DatabaseError(`PostgreSQL, as uid ${account.uid}, cannot enter ${directory}. Set another DATA_DIR.`);
}

/** Starts a program that ends when this process ends, even by SIGKILL. Ctrl-C in the terminal does not reach it. */
export function startProcess(command: string[], cwd: string, account: Account, env: NodeJS.ProcessEnv): ServerProcess {
  const child = spawn('/bin/sh', ['-c', supervised, 'sh', ...command], {
    ...account,
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let output = '';
  const append = (text: string) => {
    output = (output + text).slice(-2000);
  };
  child.stderr.setEncoding('utf8').on('data', append);
  child.on('error', (error) => append(error.message));
  const gone = new Promise<number | null>((resolve) => child.once('close', resolve));
  const kill = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    child.stderr.destroy(); // a frozen child of the server may hold it open
  };
  const stop = () => {
    child.stdin.destroy();
    const timer = setTimeout(kill, killMilliseconds);
    gone.then(() => clearTimeout(timer));
  };
  return { output: () => output.trim(), stop, gone };
}

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
  // Another server has just made its lock file and not written it yet, or has just taken the port.
  const mayPass = /lock file .* is empty|could not create any TCP\/IP sockets/.test(output);
  throw new (mayPass ? ServerInUse : DatabaseError)(`PostgreSQL did not start in ${cluster.directory}:\n${output}`);
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
  const client = new pg.Client({ connectionString: url, ssl: false, connectionTimeoutMillis: 5_000 });
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
