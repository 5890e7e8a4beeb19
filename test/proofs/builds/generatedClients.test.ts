import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { pathOf } from '../../support/documents.js';
import { createWorld } from '../../support/world.js';

const run = promisify(execFile);
const node = (...args: string[]) => run(process.execPath, args, { cwd: pathOf('test/client') });

const world = await createWorld();
const base = await world.base();

beforeAll(async () => {
  await node('generate.mjs', base);
  await node(pathOf('node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json').catch(({ stdout }) => {
    throw new Error(`the clients do not compile:\n${stdout}`);
  });
});

const company = await world.company();
const author = await world.person(company);
const space = await world.space(company, [author]);
const goal = await world.closedGoal(space, { championId: author.id, nextUpdateScheduledAt: world.now });
const document = await world.document(await world.hub(company, { spaceId: space.id }), author);

test('a REST client generated from the OpenAPI document compiles and calls the server', async () => {
  const { stdout } = await node('generated/out/rest.js', base, author.token, goal.id, document.id);
  expect(JSON.parse(stdout)).toEqual({
    status: 'pending',
    closed: false,
    role: 'champion',
    current: 3,
    fields: ['flie_id'],
  });
});

test('a GraphQL document typed from the schema compiles and calls the server', async () => {
  const { stdout } = await node('generated/out/graphql.js', base, author.token, document.id);
  expect(JSON.parse(stdout)).toEqual({ name: 'Title 1', state: 'PUBLISHED', current: 4, from: 1, wrong: 'function' });
});

test("a goal and a document with one id stay two records in Apollo's cache as it is", async () => {
  const id = 'same';
  await world.closedGoal(space, { id, name: 'The same goal' });
  const hub = await world.hub(company, { spaceId: space.id });
  await world.document(hub, author, ['one'], { id, name: 'The same document' });
  const { stdout } = await node(pathOf('node_modules/tsx/dist/cli.mjs'), 'cache.ts', base, author.token, id);
  const names = { 'Goal:same': 'The same goal', 'ResourceHubDocument:same': 'The same document' };
  expect(JSON.parse(stdout)).toEqual(names);
});
