import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { pathOf } from '../../support/documents.js';
import { operationsUnderTest } from '../../support/operations.js';
import { startServer } from '../../support/server.js';
import { createWorld, type Json, restPaths } from '../../support/world.js';

const world = await createWorld();

/** What of the product a gateway is built from. */
const sources = ['src', 'prisma', 'package.json', 'test/client/package.json', 'README.md', 'docs', 'openapi.json'];

/** Builds a copy of the product without src/platform/postgres/reader and the lines that name it. Returns its command. */
async function buildWithoutReader(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-without-reader-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of sources) await cp(pathOf(name), join(folder, name), { recursive: true });
  await symlink(pathOf('node_modules'), join(folder, 'node_modules'));
  await rm(join(folder, 'src/platform/postgres/reader'), { recursive: true });
  const without = async (name: string, part: RegExp) => {
    const file = join(folder, name);
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(part);
    await writeFile(file, text.replace(part, ''));
  };
  await without('src/platform/postgres/index.ts', /export \{[^}]*\} from '\.\/reader\/reader\.js';\n/);
  await without('src/database.ts', / +reader: lazy\(.*\n/);
  await promisify(execFile)(process.execPath, ['src/build.mjs'], { cwd: folder });
  return join(folder, 'dist/main.js');
}

test('without the reader, the gateway serves every operation by Prisma', { timeout: 120_000 }, async () => {
  const team = await world.team();
  const { caller, space } = team;
  const statements: Json[] = [];
  for (const [operation, { input }] of Object.entries(operationsUnderTest)) {
    statements.push({ path: restPaths[operation as keyof typeof restPaths], body: await input(world, team) });
  }
  await world.hub(team.company, { spaceId: space.id });
  const gateway = await startServer({ DATABASE_URL: world.url }, { main: await buildWithoutReader() });
  onTestFinished(gateway.stop);
  for (const { path, body } of statements) {
    expect(await gateway.client.post(path, caller.token, body)).toMatchObject({ status: 200 });
  }
  const { body } = await gateway.client.graphql(
    caller.token,
    `{ goals { totalCount nodes { name space { name } activities { nodes { message author { fullName } } } } }
      resourceHubs { nodes { nodes { nodes { name } } } } }`,
  );
  expect(body.errors).toBeUndefined();
  expect(body.data.goals.totalCount).toBeGreaterThan(0);
  expect(body.data.goals.nodes[0].space).toEqual({ name: space.name });
  const missing = await gateway.client.post(restPaths.reopenGoal, caller.token, { id: 'missing' });
  expect(missing).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});
