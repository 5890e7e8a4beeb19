import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, pathOf, sectionOf, textOf } from '../../support/documents.js';
import { commandOutput } from '../../support/goalpost.js';
import { pasteInto } from '../../support/pasteInto.js';
import { listening, temporaryFolder, temporaryServer } from '../../support/temporary.js';

const page = textOf('docs/clients.md');
const section = (heading: string, language: string) => blocksOf(sectionOf(page, heading), language);
/** With that of the demo which no example reopens, the list has three pages of one goal at least. */
const more = ['Two clerks for the summer', 'A stall at the harbor fair'];
const { company } = JSON.parse(textOf('prisma/demo-workspace.json'));
const scripts = (heading: string) => section(heading, 'sh');

const folder = await temporaryFolder();
const server = await temporaryServer({ DATA_DIR: join(folder, '.data') });
const tokens: { write: string; readOnly: string } = JSON.parse(
  await readFile(join(folder, '.data/demo-tokens.json'), 'utf8'),
);
beforeAll(async () => {
  await linkPackages();
  const closed = { space_id: 'space-company', closed_at: '2026-02-01T09:00:00Z', success: true };
  const goals = more.map((name) => ({ id: name, name, ...closed }));
  await writeFile(join(folder, 'more.json'), JSON.stringify({ company, goals }));
  await commandOutput(['import', join(folder, 'more.json'), '--update'], { DATA_DIR: join(folder, '.data') });
});

/** Installed, as far as the examples need it: what test/client depends on, before what others in the checkout do. */
async function linkPackages(): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  const linked = new Set<string>();
  for (const source of [pathOf('test/client/node_modules'), pathOf('node_modules')]) {
    for (const name of await readdir(source)) {
      if (linked.has(name) || name.startsWith('.')) continue;
      linked.add(name);
      await symlink(join(source, name), join(modules, name));
    }
  }
  await symlink(pathOf('.'), join(modules, 'goalpost'));
}

const here = () => ({ 'http://127.0.0.1:4000': server.base });
const paste = (script: string) => pasteInto(folder, script, here());
const save = (name: string, text: string | undefined) =>
  writeFile(join(folder, name), (text ?? '').replaceAll('http://127.0.0.1:4000', server.base));

describe('the examples of docs/clients.md compile and run as they stand there', () => {
  const [install = '', compile = ''] = scripts('REST');
  const run = async (name: string, token: string) => {
    // One that never ends fails in time.
    const options = { cwd: folder, env: { ...process.env, TOKEN: token }, timeout: 30_000 };
    const { stdout } = await promisify(execFile)(process.execPath, [`${name}.js`], options);
    return stdout.trim().split('\n');
  };

  test('openapi-fetch', async () => {
    await save('client.ts', section('REST', 'ts')[0]);
    expect(await paste(`export TOKEN=${tokens.write}\n${install}\n${compile}`)).toMatch(/\n[a-z_]+\n$/);
  });

  test('openapi-fetch repeats what failed, with the same key', async () => {
    const keys: unknown[] = [];
    const failing = createServer((request, response) => {
      keys.push(request.headers['idempotency-key']);
      request.resume();
      if (keys.length === 1) return void request.socket.destroy();
      response.setHeader('Content-Type', 'application/json');
      if (keys.length === 2) response.writeHead(503, { 'Retry-After': '0' });
      response.end(JSON.stringify({ goal: { status: 'on_track' } }));
    });
    const base = `http://127.0.0.1:${await listening(failing)}`;
    const compiled = join(folder, 'client.js');
    await writeFile(compiled, (await readFile(compiled, 'utf8')).replace(server.base, base));
    expect(await run('client', tokens.write)).toEqual(['on_track']);
    expect(keys).toEqual([1, 2, 3].map(() => keys[0]));
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('graphql-codegen, with the client preset', async () => {
    await save('operations.graphql', section('GraphQL', 'graphql')[0]);
    await save('codes.ts', section('Error codes', 'ts')[0]);
    await save('codegen.json', section('graphql-codegen', 'json')[0]);
    await paste(scripts('graphql-codegen').join('\n'));
  });

  test.each([
    ['fetch', 'goals'],
    ['urql', 'urql'],
    ['Apollo Client', 'apollo'],
  ])('%s reads all pages, sends a change with a key, and names the code of its failure', async (heading, name) => {
    await save(`${name}.ts`, section(heading, 'ts')[0]);
    await paste([...scripts(heading), compile.split('\n')[0]?.replace('client.ts', `${name}.ts`)].join('\n'));
    const refused = await run(name, tokens.readOnly);
    expect(refused.at(-1)).toBe('READ_ONLY_TOKEN');
    expect(refused).toEqual(expect.arrayContaining(['Refresh the website', ...more]));
    expect((await run(name, tokens.write)).at(-1)).toMatch(/^[A-Z_]+$/);
  });

  test('the keys for Graphcache are of what has no ID', async () => {
    await save('keys.ts', section('urql', 'ts')[1]);
    await save('schema.graphql', textOf('schema.graphql'));
    await paste(compile.split('\n')[0]?.replace('client.ts', 'keys.ts') ?? '');
    const script = "import('./keys.js').then(({ keys }) => console.log(JSON.stringify(Object.keys(keys))))";
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: folder });
    const keys = JSON.parse(stdout);
    expect(keys).toEqual(expect.arrayContaining(['GoalPermissions', 'Timeframe', 'TextExcerpt']));
    expect(keys).not.toContain('Goal');
  });

  test('gql.tada', async () => {
    await save('tsconfig.json', section('gql.tada', 'json')[0]);
    await save('tada.ts', section('gql.tada', 'ts')[0]);
    await paste(`${scripts('gql.tada').join('\n')}\nnpx tsc`);
    expect(await run('tada', tokens.readOnly)).toEqual(['READ_ONLY_TOKEN']);
    expect(await run('tada', tokens.write)).toEqual(['ON_TRACK']);
    await save('tada.ts', section('gql.tada', 'ts')[0]?.replace("{ id: 'goal", "{ ids: 'goal"));
    await expect(paste('npx tsc')).rejects.toMatchObject({ stdout: expect.stringContaining("'ids' does not exist") });
  });
});

describe('the contract checks of docs/clients.md', () => {
  const [snapshot = '', _install, inspect = '', difference = ''] = scripts('Contract checks in CI');
  const lines = [inspect, difference].flatMap((script) => script.trim().split('\n'));
  const ending = (line: string) =>
    paste(line).then(
      (stdout) => ({ code: 0, stdout }),
      ({ code, stdout }) => ({ code, stdout }),
    );

  beforeAll(async () => {
    await save('inspect.mjs', section('Contract checks in CI', 'js')[0]);
    await paste(snapshot);
  });

  test('keep a snapshot of both contracts in four lines', async () => {
    expect(snapshot.trim().split('\n')).toHaveLength(4);
    expect(await readFile(join(folder, 'contract/schema.graphql'), 'utf8')).toBe(textOf('schema.graphql'));
    expect(await readFile(join(folder, 'contract/openapi.json'), 'utf8')).toContain('\n    "/reopen_goal": {\n');
  });

  test.each(lines)('%s passes while nothing has changed', async (line) => {
    expect(await ending(line)).toEqual({ code: 0, stdout: '' });
  });
});
