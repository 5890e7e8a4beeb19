import { spawn, spawnSync } from 'node:child_process';
import { DatabaseError } from '../error.js';

/** The operating-system account that PostgreSQL runs as. Empty if it is the account of this process. */
export interface Account {
  uid?: number;
  gid?: number;
}

/** A running PostgreSQL program. `gone` resolves with its exit code once it and its children have ended. */
export interface ServerProcess {
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
