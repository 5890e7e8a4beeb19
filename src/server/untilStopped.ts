import type { Config } from '../config/config.js';

/** Resolves at the first SIGINT, SIGTERM or SIGHUP, or when npm is gone. A second signal ends the process at once. */
export function untilStopped({ underNpm }: Config): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const stop = (_signal: string, number: number) => {
      const now = performance.now();
      // Under npm, one Ctrl-C arrives twice: from the terminal and from npm.
      if (first !== undefined && now - first > (underNpm ? 500 : 0)) process.exit(128 + number);
      first ??= now;
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
    // npm cannot forward SIGKILL. When it is killed, this process gets another parent.
    const parent = process.ppid;
    const orphaned = () => process.ppid !== parent && resolve();
    if (underNpm) setInterval(orphaned, 500).unref();
  });
}
