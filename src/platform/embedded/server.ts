import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseError, withTimedClient } from '../postgres/index.js';

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

/** PostgreSQL refuses to run as root, so root runs it as `postgres` or `nobody`. Throws if neither exists. */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) {
    try {
      userInfo();
      return {};
    } catch {
      throw new DatabaseError(
        `PostgreSQL cannot run here: the user id ${process.getuid?.()} has no name on this system. Set DATABASE_URL.`,
      );
    }
  }
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

/** PostgreSQL's programs: `directory` has bin, lib and share; `major` is the version, such as `18`. */
export interface Binaries {
  directory: string;
  major: string;
  env: NodeJS.ProcessEnv;
}

/** A data directory: `home` has it as `data`, and the password of the user `postgres`; the server reaches it as `serverName`. */
export interface Cluster {
  home: string;
  directory: string;
  serverName: string;
  password: string;
  account: Account;
  binaries: Binaries;
}

/**
 * Runs in the data directory for as long as somebody has the pipe `users` open, which ends with a process however that ends,
 * and starts the server again when it dies, after growing pauses. A second supervisor finds a live server, and ends; so does
 * one that had no user for 30 seconds, because whoever started it was killed.
 */
const supervisor = `
trap '' PIPE
[ -p ../users ] || mkfifo -m 600 ../users
{ sleep 30; kill -TERM $$; } >/dev/null 2>&1 &
exec 3<../users
kill $!
trap 'stopping=1; kill -INT $server' TERM
{ cat <&3; exec 3<&-; for n in 1 2 3 4 5; do kill -TERM $$ || exit; sleep 1; done; kill -KILL 0; } >/dev/null 2>&1 &
exec 3<&-
pause=1
until [ "$stopping" ]; do
  began=$(date +%s)
  "$@" </dev/null &
  server=$!
  while wait $server; status=$?; kill -0 $server; do :; done 2>/dev/null
  kill -0 "$(head -n 1 postmaster.pid)" 2>/dev/null && break
  [ "$stopping" ] && break
  echo "PostgreSQL ended with status $status" >&2
  [ $(($(date +%s) - began)) -gt 60 ] && pause=1
  sleep $((pause / 10)).$((pause % 10)) &
  server=$!
  wait $server
  pause=$((pause > 150 ? 300 : pause * 2))
done
kill -KILL 0`;

/** A supervisor that this process has started. */
export interface Supervisor {
  /** The last that it and the server have said. */
  output(): string;
  hasEnded: boolean;
  /** Once it and the server have ended. */
  gone: Promise<unknown>;
  /** Does not wait for it any more. */
  leave(): void;
}

/** The command of a server on 127.0.0.1. */
export const commandOf = (
  { binaries, serverName }: Omit<Cluster, 'home'>,
  port: number,
  settings: readonly string[],
) => [
  join(binaries.directory, 'bin', 'postgres'),
  ...['-D', serverName],
  ...[`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings].flatMap((each) => [
    '-c',
    each,
  ]),
];

/** Starts a supervisor, which begins with the first user. Ctrl-C in the terminal does not reach it. */
export function startSupervisor(
  cluster: Cluster,
  { port, settings, onEnd }: { port: number; settings: string[]; onEnd: (output: string) => void },
): Supervisor {
  const { directory, account, binaries } = cluster;
  const child = spawn('/bin/sh', ['-c', supervisor, 'sh', ...commandOf(cluster, port, settings)], {
    ...account,
    cwd: directory,
    env: binaries.env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2000);
    if (text.includes('PostgreSQL ended with status')) onEnd(output.trim());
  });
  const gone = new Promise((resolve) => {
    child.once('close', resolve).once('error', ({ message }) => {
      output += `PostgreSQL ended: ${message}`;
      resolve(undefined);
    });
  });
  const started: Supervisor = { output: () => output.trim(), hasEnded: false, gone, leave };
  function leave() {
    child.unref();
    child.stderr.destroy();
  }
  gone.then(() => {
    started.hasEnded = true;
  });
  return started;
}

/** Becomes a user of the server, until the file is closed; undefined if no supervisor runs. */
export function useServer({ home }: Cluster): number | undefined {
  try {
    return openSync(join(home, 'users'), constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENXIO', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

export const leaveServer = (user: number | undefined): void => {
  if (user !== undefined) closeSync(user);
};

/** What the server's lock file says: its process id and, once it listens, the port. */
export function lockFile({ directory }: Pick<Cluster, 'directory'>): { pid: number; port: number } {
  try {
    const [pid, , , port] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(pid), port: Number(port) };
  } catch {
    return { pid: 0, port: 0 };
  }
}

/**
 * Removes the lock file of a server that is gone if another process has its number now, of which PostgreSQL would only see
 * that it runs. A server works in its data directory. Where there is no /proc, the file stays.
 */
export function removeStaleLock({ directory }: Cluster): void {
  try {
    const { pid } = lockFile({ directory });
    const [at, own] = [`/proc/${pid}/cwd`, directory].map((path) => statSync(path));
    if (at?.ino !== own?.ino || at?.dev !== own?.dev) rmSync(join(directory, 'postmaster.pid'));
  } catch {}
}

/** Whether a server accepts connections at `url`. */
export const accepts = (url: string): Promise<boolean> =>
  withTimedClient(url, 5_000, async () => true).catch(() => false);
