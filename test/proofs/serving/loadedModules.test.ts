import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { builtMain } from '../../support/goalpost.js';
import { temporaryServer } from '../../support/temporary.js';
import { createWorld, type Json, restPaths } from '../../support/world.js';

const world = await createWorld();

/** Tells when Prisma's query compiler is loaded. */
const hooks = `export async function load(url, context, next) {
  if (url.includes('query_compiler')) process._rawDebug('loaded the compiler');
  return next(url, context);
}`;
const urlOf = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
const watched = {
  DATABASE_URL: world.url,
  FILE_RETENTION_DAYS: '90',
  NODE_OPTIONS: `--import=${urlOf(`import { register } from 'node:module'; register(${JSON.stringify(urlOf(hooks))})`)}`,
};

test("a gateway does not need Prisma's compiler, with its 30 MB and its time", async () => {
  const { caller, space, hub } = await world.teamWithHub('space');
  const goals = [await world.closedGoal(space), await world.closedGoal(space), await world.closedGoal(space)];
  const [file, deleted] = [await world.file(hub, caller), await world.file(hub, caller, { deletedAt: new Date(0) })];
  const document = await world.document(hub, caller);
  const gateway = await temporaryServer(watched);
  const post = async (path: string, body: Json, headers = {}) => {
    const response = await fetch(gateway.base + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${caller.token}`, ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const reopen = (n: number) => `r${n}: reopenGoal(input: { id: "${goals[n]?.id}" }) { goal { id targets { name } } }`;
  const answers = [
    await post('/graphql', { query: '{ goals { nodes { name space { name } activities { nodes { action } } } } }' }),
    await post(restPaths.reopenGoal, { id: goals[2]?.id }, { 'Idempotency-Key': 'key-1' }),
    await post(restPaths.deleteResourceHubFile, { file_id: file.id }),
    await post(restPaths.restoreDocumentVersion, {
      document_id: document.id,
      version_number: 1,
      expected_current_version: 3,
    }),
    await post('/graphql', { query: `mutation { ${reopen(0)} ${reopen(1)} }` }),
    await post('/graphql', { query: '{ viewer { person { fullName } } }' }, { Authorization: 'Bearer wrong' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 401]);
  expect(answers[4]?.body.errors).toBeUndefined();
  await expect.poll(() => world.db.resourceHubFile.findFirst({ where: { id: deleted.id } })).toBeNull(); // purged
  expect(gateway.log()).toBe('');

  const command = [builtMain, 'token', 'create', '--person', caller.id, '--name', 'test'];
  const { stderr } = spawnSync(process.execPath, command, { env: { ...process.env, ...watched }, encoding: 'utf8' });
  expect(stderr).toContain('loaded the compiler'); // as would be seen
});
