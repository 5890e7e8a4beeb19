import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';

let mount = '';

/** Takes all space that is left, and what becomes free meanwhile. */
async function fill(file: string, milliseconds: number): Promise<void> {
  const ballast = await open(file, 'a');
  const chunk = Buffer.alloc(64 * 1024);
  for (const end = performance.now() + milliseconds; performance.now() < end; )
    await ballast.write(chunk).catch(() => sleep(20));
  await ballast.close();
}

export const diskFull: Fault = {
  title: 'The disk of PostgreSQL is full for eight seconds',
  unable: () =>
    process.getuid?.() === 0 && process.platform === 'linux' ? undefined : 'needs root on Linux, for a small tmpfs',
  async options() {
    mount = mkdtempSync(join(tmpdir(), 'goalpost-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=755', 'tmpfs', mount]);
    return { parent: mount };
  },
  async strike({ postgres }) {
    const ballast = join(mount, 'ballast');
    await fill(ballast, 8_000);
    await rm(ballast);
    // PostgreSQL gives up when it cannot write its log. Whoever runs it starts it again.
    if (!(await postgres.answers())) await postgres.start();
  },
  async cleanUp() {
    execFileSync('umount', ['--lazy', mount]);
    rmdirSync(mount);
  },
};
