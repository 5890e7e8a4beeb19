import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathOf } from './documents.js';

const run = promisify(execFile);

/** npm itself, which `npm test` names. */
const npm = process.env.npm_execpath ?? '';

/** The variables of this process, without those of the npm that started it. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|DATABASE_URL$|CI$)/i.test(name)),
);

/** What a program that runs on this Node gets. */
export const on = (node: string, settings: Record<string, string> = {}) => ({
  ...environment,
  // No settings of the person who runs the tests.
  npm_config_userconfig: '/dev/null',
  npm_config_update_notifier: 'false',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
  PATH: `${join(node, '..')}:${process.env.PATH}`,
  PORT: '0',
  LOG_LEVEL: 'error',
  ...settings,
});

/** Runs npm on this Node. */
export const runNpm = (node: string, cwd: string, ...args: string[]) =>
  npm.endsWith('.js') ? run(node, [npm, ...args], { cwd, env: on(node) }) : run('npm', args, { cwd, env: on(node) });

const checkout = [
  '.ci',
  '.npmrc',
  'README.md',
  'docs',
  'openapi.json',
  'package-lock.json',
  'package.json',
  'prisma',
  'schema.graphql',
  'src',
  'test/client/package.json',
  'tsconfig.json',
];

/** What `npm pack` makes of a copy of the checkout, in a folder of its own, because it builds, prunes and edits there. */
export async function pack() {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-pack-'));
  const copy = join(folder, 'checkout');
  for (const name of checkout) await cp(pathOf(name), join(copy, name), { recursive: true });
  // Hard links, where they can be made.
  const modules = [pathOf('node_modules'), join(copy, 'node_modules')];
  await run('cp', ['-al', ...modules]).catch(() => run('cp', ['-a', ...modules]));
  const { stdout } = await runNpm(process.execPath, copy, 'pack', '--silent', '--pack-destination', folder);
  return { tarball: join(folder, stdout.trim()), copy, remove: () => rm(folder, { recursive: true }) };
}
