import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { pathOf, textOf } from '../../support/documents.js';
import { on, runNpm } from '../../support/packed.js';
import { createWorld } from '../../support/world.js';

const folder = pathOf('test/client/generators');
const world = await createWorld();
const base = await world.base();
const run = promisify(execFile);
const settings = { BASE: base, KUBB_DISABLE_TELEMETRY: '1', NO_COLOR: '1' };

/** Runs what a package of the folder installs, or a program of ours with `tsx`. Throws with what it printed. */
const node = (...args: string[]) =>
  run(process.execPath, args, { cwd: folder, env: on(process.execPath, settings), maxBuffer: 64 * 1024 * 1024 }).catch(
    ({ stdout, stderr }) => {
      throw new Error(`${args.join(' ')} fails:\n${stdout}\n${stderr}`);
    },
  );
const program = async (file: string, ...args: string[]) =>
  JSON.parse((await node(pathOf('node_modules/tsx/dist/cli.mjs'), file, base, ...args)).stdout);

/** Installs the package, whose 370 MB nobody else needs, unless its lock file is installed. */
async function install(): Promise<void> {
  const installed = `${folder}/node_modules/.package-lock.json`;
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync(`${folder}/package-lock.json`).mtimeMs) return;
  await runNpm(process.execPath, folder, 'ci', '--no-workspaces', '--ignore-scripts');
}

beforeAll(async () => {
  await install();
  await rm(`${folder}/generated`, { recursive: true, force: true });
  // The compiler wants its folder to exist.
  await mkdir(`${folder}/generated/relay`, { recursive: true });
}, 300_000);

/** Records of different types with one id, and of one name, so that one query finds them all. */
const { company, space, caller } = await world.team();
const id = 'same';
await world.closedGoal(space, { id, name: 'The same goal', championId: caller.id, nextUpdateScheduledAt: world.now });
const hub = await world.hub(company, { spaceId: space.id });
await world.document(hub, caller, ['one', 'two', 'three'], { id, name: 'The same document' });
await world.file(hub, caller, { id, name: 'The same file' });

describe('from the contract', { timeout: 120_000 }, () => {
  const openApi = `${base}/api/external/v1/openapi.json`;
  test.each([
    ['orval', ['orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs']],
    ['@hey-api/openapi-ts', ['@hey-api/openapi-ts/bin/run.js', '-i', openApi, '-o', 'generated/heyApi']],
    ['kubb', ['@kubb/cli/bin/kubb.cjs', 'generate']],
    ['relay-compiler', ['relay-compiler/cli.js', 'relay.config.json']],
  ])('%s generates a client', async (_name, [command, ...args]) => {
    await node(`node_modules/${command}`, ...args);
  });

  test('what they generate compiles, with the programs that use it', async () => {
    await node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json');
  });
});

test('the REST clients call the server, and know the codes of its failures', async () => {
  const read = { status: 'pending', current: 3 };
  expect(await program('rest.ts', caller.token, id, id)).toEqual({ orval: read, heyApi: read, kubb: read });
});

describe('a goal and a document with one id', () => {
  const names = { goal: 'The same goal', document: 'The same document', nodes: ['The same document', 'The same file'] };

  test("stay two records in Relay's store with the key of docs/clients.md, and would not with Relay's own", async () => {
    expect(textOf('docs/clients.md')).toContain("getDataID: ({ id }, type) => id && type + ':' + id");
    const { byTypeAndId, byIdAlone } = await program('relay.ts', caller.token, id);
    expect(byTypeAndId).toEqual(names);
    expect(byIdAlone).not.toEqual(names);
  });

  test("stay two records in Apollo's cache as it is", async () => {
    const tsx = pathOf('node_modules/tsx/dist/cli.mjs');
    const args = [tsx, pathOf('test/client/cache.ts'), base, caller.token, id];
    const { stdout } = await run(process.execPath, args, { cwd: pathOf('test/client') });
    expect(JSON.parse(stdout)).toEqual({ 'Goal:same': names.goal, 'ResourceHubDocument:same': names.document });
  });
});
