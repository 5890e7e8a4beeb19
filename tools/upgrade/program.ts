import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** A version of the program in a folder of its own. */
export interface Program {
  main: string;
  migrations: string;
  /** Runs a command, such as `migrate`, and returns what it prints. */
  run(settings: Record<string, string>, ...command: string[]): Promise<string>;
  remove(): Promise<void>;
}

function programIn(folder: string, remove = () => rm(folder, { recursive: true })): Program {
  const file = join(folder, 'dist/main.js');
  return {
    main: file,
    migrations: join(folder, 'prisma/migrations'),
    async run(settings, ...command) {
      const { stdout } = await run(process.execPath, [file, ...command], {
        env: { ...process.env, ...settings },
      });
      return stdout;
    },
    remove,
  };
}

/** This checkout as it is. */
export const thisProgram = (): Program => programIn(root, async () => {});

/** What is built here, without any packages, with migrations that do all that an expanding one may. */
export async function newerProgram(): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-newer-'));
  for (const name of ['dist', 'prisma', 'package.json', 'node_modules/graphql'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await cp(join(root, 'tools/upgrade/expand'), join(folder, 'prisma/migrations'), { recursive: true });
  return programIn(folder);
}

/** The newest release, or if there is none yet, the last commit. */
export async function latestRelease(): Promise<string> {
  const { stdout } = await run('git', ['-C', root, 'tag', '--list', 'v*', '--sort=-v:refname']);
  return stdout.split('\n')[0] || 'HEAD';
}

/** What a commit or tag is, built in a worktree with packages of its own. */
export async function releasedProgram(ref: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-released-'));
  await run('git', ['-C', root, 'worktree', 'add', '--detach', folder, ref]);
  await run('npm', ['ci'], { cwd: folder });
  return programIn(folder, async () => {
    await run('git', ['-C', root, 'worktree', 'remove', '--force', folder]);
  });
}
