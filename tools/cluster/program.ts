import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverAccount } from '../../src/platform/embedded/server.js';
import { descendantsOf } from '../../test/support/processes.js';

const stopMilliseconds = 20_000;
const running = new Set<Program>();
process.on('exit', () => {
  for (const program of running) program.killAll();
});

/** A program that runs as the account of PostgreSQL, which refuses to be root's. Its output goes to a file. */
export class Program {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #pidFile: string | undefined;

  /** `pidFile` names a server that the program starts and leaves to itself. */
  constructor(folder: string, name: string, command: string, options: string[], pidFile?: string) {
    this.#pidFile = pidFile;
    const log = openSync(join(folder, `${name}.log`), 'a');
    this.#child = spawn(command, options, { ...serverAccount(), cwd: folder, stdio: ['ignore', log, log] });
    this.#child.on('error', (error) => console.error(`${command}: ${error.message}`));
    this.#exited = once(this.#child, 'close').finally(() => running.delete(this));
    running.add(this);
  }

  /** Kills it and everything that it has started, without a chance to say goodbye. */
  killAll(): void {
    const own = [this.#child.pid, this.#pidFile && firstNumberIn(this.#pidFile)].filter(
      (pid) => typeof pid === 'number',
    );
    for (const each of own.flatMap((pid) => [pid, ...descendantsOf(pid)])) {
      try {
        process.kill(each, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await Promise.race([this.#exited, sleep(stopMilliseconds, undefined, { ref: false })]);
    this.killAll();
    await this.#exited;
  }
}

function firstNumberIn(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return undefined; // The server does not run.
  }
}
