import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathOf } from './documents.js';
import { oncePerRun } from './once.js';

/** The program as users start it, once it is {@link built}. */
export const builtMain = pathOf('dist/main.js');

/** Waits until the commands are built: by the set-up of the proofs, or once in a run of the fast suite. */
export async function built(): Promise<void> {
  if (process.env.COMMANDS_BUILT) return;
  // The pages are, and other workers read them.
  const build = () => promisify(execFile)(process.execPath, [pathOf('tools/build/build.mjs'), '--program']);
  await oncePerRun('build', build);
}

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command of the built program until it ends. A setting of `undefined` is one that the tests have and it has not. */
export async function goalpost(
  args: string[],
  settings: Record<string, string | undefined> = {},
  cwd = pathOf('.'),
): Promise<Outcome> {
  const env = { ...process.env, ...settings };
  await built();
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [builtMain, ...args], {
      cwd,
      env,
      maxBuffer: 1 << 28,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Outcome;
    return { code, stdout, stderr };
  }
}

/** Runs a command that must succeed, and returns what it prints. */
export async function commandOutput(args: string[], settings: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await goalpost(args, settings);
  if (code !== 0) throw new Error(`goalpost ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout.trim();
}

/** Writes a workspace to a file, and imports it. */
export async function importFileOf(workspace: object, settings: Record<string, string>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-import-'));
  try {
    const file = join(folder, 'workspace.json');
    await writeFile(file, JSON.stringify(workspace));
    await commandOutput(['import', file], settings);
  } finally {
    await rm(folder, { recursive: true });
  }
}
