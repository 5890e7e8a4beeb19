import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
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

/** What the package is built from, and its documents. */
const sources = [
  '.ci',
  '.npmrc',
  'README.md',
  'docs',
  'openapi.json',
  'package.json',
  'prisma',
  'prisma.config.ts',
  'schema.graphql',
].concat(['src', 'tools/build', 'test/client/package.json', 'tsconfig.json']);

/** What `npm pack` makes, in a copy: other tests run what is built here. */
export async function pack() {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-pack-'));
  const checkout = join(folder, 'goalpost');
  for (const name of sources) await cp(pathOf(name), join(checkout, name), { recursive: true });
  await symlink(pathOf('node_modules'), join(checkout, 'node_modules'));
  const { stdout } = await runNpm(process.execPath, checkout, 'pack', '--silent');
  const tarball = join(checkout, stdout.trim().split('\n').at(-1) ?? '');
  return { checkout, tarball, remove: () => rm(folder, { recursive: true }) };
}
