// Builds the image from Debian's packages and runs it on a real PostgreSQL, with the two roles of `goalpost roles`: the
// calls of README.md, a read-only root, the health check, and SIGTERM during a request. Needs root, debootstrap,
// buildah and podman.
import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../src/platform/embedded/server.js';
import { blocksOf, pathOf, sectionOf, textOf } from '../../test/support/documents.js';
import { startPostgres } from '../../test/support/postgres.js';

const images = { node: 'localhost/goalpost-node', debian: 'localhost/goalpost-debian', own: 'localhost/goalpost' };
const name = `goalpost-${process.pid}`;
const root = pathOf('.');

/** What the program prints. Fails if it fails. */
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
const exists = (image: string) => spawnSync('podman', ['image', 'exists', image]).status === 0;

// This machine's own limits: nested in another container, podman may not raise them.
const hard = Number(run('sh', '-c', 'ulimit -Hn'));
const limits = [
  '--log-level',
  'fatal',
  '--runtime',
  'runc',
  'run',
  '--ulimit',
  `nofile=${hard}:${hard}`,
  '--ulimit',
  'nproc=4096:4096',
];
const hardened = ['--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges', '--network', 'host'];
const goalpost = (settings: Record<string, string>, options: string[], ...command: string[]) => {
  const env = Object.entries(settings).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  return run('podman', ...limits, ...hardened, ...env, ...options, images.own, ...command);
};

if (!exists(images.node)) run(pathOf('tools/container/base.sh'));
const bases = ['--build-arg', `NODE_IMAGE=${images.node}`, '--build-arg', `RUNTIME_IMAGE=${images.debian}`];
run('buildah', 'bud', '--quiet', '--format', 'docker', '--isolation', 'chroot', ...bases, '--tag', images.own, '.');
const megabytes = (image: string) =>
  Math.round(Number(run('podman', 'image', 'inspect', '--format', '{{.Size}}', image)) / 1e6);
console.log(`image: ${megabytes(images.own)} MB, of which Debian ${megabytes(images.debian)} MB`);

const postgres = await startPostgres();
const port = await freePort();
const base = `http://127.0.0.1:${port}`;
const urlOf = (role: string) =>
  Object.assign(new URL(postgres.url), { username: `goalpost_${role}`, password: role }).href;
const DATABASE_URL = urlOf('gateway');
try {
  const passwords = { OWNER_PASSWORD: 'owner', GATEWAY_PASSWORD: 'gateway' };
  console.log(goalpost({ DATABASE_URL: postgres.url, ...passwords }, ['--rm'], 'roles', '--yes'));
  console.log(goalpost({ DATABASE_URL: urlOf('owner') }, ['--rm'], 'migrate'));
  const demo = ['--volume', `${pathOf('prisma/demo-workspace.json')}:/demo.json:ro`, '--rm'];
  console.log(goalpost({ DATABASE_URL }, demo, 'import', '/demo.json'));
  const person = ['--person', 'person-tomas-okafor', '--name', 'CI', '--write'];
  const token = goalpost({ DATABASE_URL }, ['--rm'], 'token', 'create', ...person);
  goalpost({ DATABASE_URL, PORT: String(port) }, ['--detach', '--name', name]);
  const health = () => spawnSync('podman', ['healthcheck', 'run', name]).status === 0;
  while (!health()) await sleep(200);
  console.log('health check: healthy');

  const calls = blocksOf(sectionOf(textOf('README.md'), 'Make a call'), 'sh')
    .join('\n')
    .replace(/^TOKEN=.*$/m, '');
  const shell = `curl() { command curl -w '%{http_code}\\n' -o /dev/null "$@"; }\n${calls.replaceAll('http://127.0.0.1:4000', base)}`;
  console.log(`calls of README.md: ${run('env', `TOKEN=${token}`, 'sh', '-euc', shell).split('\n').join(', ')}`);

  const inside = (...command: string[]) => spawnSync('podman', ['exec', name, ...command], { encoding: 'utf8' });
  console.log(
    `user: ${inside('id', '-u').stdout.trim()}; process 1: ${inside('cat', '/proc/1/cmdline').stdout.replaceAll('\0', ' ').trim()}`,
  );
  console.log(`write to the root: ${inside('touch', '/goalpost/x').stderr.trim()}`);

  const holder = new pg.Client({ connectionString: postgres.url });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE goals IN ACCESS EXCLUSIVE MODE');
  const headers = { authorization: `Bearer ${token}` };
  const running = fetch(`${base}/graphql?query={goals{nodes{id}}}`, { headers });
  await sleep(500);
  run('podman', 'kill', '--signal', 'TERM', name);
  const started = performance.now();
  await sleep(1000);
  await holder.query('COMMIT');
  await holder.end();
  const { status } = await running;
  const code = run('podman', 'wait', name);
  console.log(
    `SIGTERM during a request: ${status}, exit code ${code} after ${Math.round(performance.now() - started)} ms`,
  );
} finally {
  spawnSync('podman', ['rm', '--force', name]);
  await postgres.stop();
}
