import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Agent } from '../../support/agent.js';
import { asAdministrator } from '../../support/database.js';
import { pathOf } from '../../support/documents.js';
import { startServer } from '../../support/server.js';
import { createWorld, type Json } from '../../support/world.js';

// Adds an operation and a column by docs/contributing.md, "Adding an operation" and "Adding a column", to a copy of the sources. With KEEP=folder the copy
// stays in that empty folder, to run its own tests and `npm run schema`.

const run = promisify(execFile);

/** What of the product a gateway is built from, and what its compiler and its tests need. */
const sources = [
  ...[
    'src',
    'prisma',
    'test/support',
    'test/operations',
    'test/contract',
    'test/pages',
    'test/client/package.json',
    'tools',
    'docs',
  ],
  ...['test/api/mcp.test.ts', 'test/access'],
  ...[
    'package.json',
    'prisma.config.ts',
    'tsconfig.json',
    'vitest.config.ts',
    'README.md',
    'openapi.json',
    'schema.graphql',
  ],
];

const migration = 'prisma/migrations/20270131120000_goal_archiving/migration.sql';

/** The files of the operation. */
const own: Record<string, string> = {
  'src/operations/archiveGoal.ts': 'operation.ts.txt',
  'src/schema/goals/archiveGoal.ts': 'schema.ts.txt',
  'test/operations/archiveGoal.test.ts': 'test.ts.txt',
  [migration]: 'migration.sql',
};

const columnMigration = 'prisma/migrations/20270131110000_goal_moods/migration.sql';

/** Lines in files that there are, each after the text before it, which stands there once. */
type Lines = Record<string, [after: string, line: string][]>;

/** Those of the column. */
const ofColumn: Lines = {
  'prisma/schema.prisma': [['model Goal {\n', '  /// how people feel about it\n  mood String?\n']],
  'test/support/filled.ts': [["const text = { description: 'Why we do it',", " mood: 'hopeful',"]],
};

/** Those of the operation. */
const registers: Lines = {
  'src/operations/index.ts': [
    ["from '../rules/activityActions.js';\n", "import { goalArchiving } from './archiveGoal.js';\n"],
    ['versionRestoring, fileRecovery', ', goalArchiving'],
  ],
  'src/schema.ts': [["import './schema/goals/goals.js';\n", "import './schema/goals/archiveGoal.js';\n"]],
  'prisma/schema.prisma': [['  resource_hub_file_recovered\n', '  goal_archived\n  goal_unarchived\n']],
  'test/support/operations.ts': [
    [
      'Record<Operation, OperationUnderTest> = {\n',
      `  archiveGoal: {
    selection: 'goal { id }',
    unknown: { id: 'unknown' },
    conflict: null,
    async input(world, { space, level = 70 }) {
      return { id: (await world.goal(space, { companyLevel: 0, spaceLevel: level })).id };
    },
    noOp: async () => ({}),
  },\n`,
    ],
  ],
  'test/access/isolation/policy.ts': [
    [
      "'UndoChangePreview.after': ruled,\n",
      ['Payload.goal', 'Payload.activity', 'Preview.goal', 'Preview.after']
        .map((field) => `  'ArchiveGoal${field}': ruled,\n`)
        .join(''),
    ],
    [
      'export const lookUps: Record<string, Need> = {\n',
      "  previewArchiveGoal: { ask: (id) => ({ input: { id } }), kind: 'goals', level: 70 },\n",
    ],
    ['export const mutations: Record<string, Need> = {\n', "  archiveGoal: { ask: byId, kind: 'goals', level: 70 },\n"],
    ['export const targets = [\n', "  'ArchiveGoalInput.id',\n  'PreviewArchiveGoalInput.id',\n"],
    ["  '/graphql': 'GraphQL',\n", "  '/api/external/v1/archive_goal': 'a mutation',\n"],
  ],
};

const world = await createWorld();
let copy: string;
let gateway: Awaited<ReturnType<typeof startServer>>;
const settings = { DATABASE_URL: asAdministrator(world.url) };
const inCopy = (program: string, ...args: string[]) =>
  run(process.execPath, [join(copy, program), ...args], { cwd: copy, env: { ...process.env, ...settings } });
/** For a run of its own, which would take itself for one of ours. */
const withoutVitest = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV)/.test(name)),
);
const compile = () => inCopy('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'src.tsconfig.json');

beforeAll(async () => {
  copy = process.env.KEEP ?? (await mkdtemp(join(tmpdir(), 'goalpost-fifth-')));
  for (const name of sources) await cp(pathOf(name), join(copy, name), { recursive: true });
  await symlink(pathOf('node_modules'), join(copy, 'node_modules'));
  for (const [name, fixture] of Object.entries(own)) {
    await mkdir(dirname(join(copy, name)), { recursive: true });
    await cp(pathOf(`test/proofs/builds/fifthOperation/${fixture}`), join(copy, name));
  }
  await mkdir(dirname(join(copy, columnMigration)), { recursive: true });
  await writeFile(join(copy, columnMigration), 'ALTER TABLE "goals" ADD COLUMN "mood" TEXT;\n');
  for (const [name, lines] of [ofColumn, registers].flatMap(Object.entries<Lines[string]>)) {
    let text = await readFile(join(copy, name), 'utf8');
    for (const [after, line] of lines) {
      expect(text.split(after)).toHaveLength(2);
      text = text.replace(after, (found) => found + line);
    }
    await writeFile(join(copy, name), text);
  }
  await writeFile(join(copy, 'src.tsconfig.json'), '{ "extends": "./tsconfig.json", "include": ["src"] }');
  await inCopy('node_modules/prisma/build/index.js', 'generate');
  await inCopy('tools/build/build.mjs');
  gateway = await startServer({ ...settings, MCP: 'on' }, { main: join(copy, 'dist/main.js') });
}, 240_000);
afterAll(async () => {
  await gateway?.stop();
  if (!process.env.KEEP) await rm(copy, { recursive: true });
});

/** A token for the operation, as an operator makes it. */
async function tokenOf(personId: string, ...options: string[]): Promise<{ id: string; token: string }> {
  const name = options.join(' ');
  const { stdout } = await inCopy('dist/main.js', 'token', 'create', '--person', personId, '--name', name, ...options);
  const listed: Json[] = JSON.parse((await inCopy('dist/main.js', 'token', 'list', '--json')).stdout);
  return { id: listed.find((each) => each.name === name)?.id, token: stdout.trim() };
}

test('a fifth operation has four files of its own, and its lines in five others', () => {
  expect(Object.keys(own)).toHaveLength(4);
  expect(Object.keys(registers)).toHaveLength(5);
});

test('it compiles, but not without saying what takes it back', { timeout: 240_000 }, async () => {
  expect((await compile()).stdout).toBe('');
  const file = join(copy, 'src/operations/archiveGoal.ts');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/ {2}undo: \{.*?\n {2}\},\n/s, ''));
  const { stdout } = await compile().catch((error: { stdout: string }) => error);
  await writeFile(file, text);
  expect(stdout).toContain("Property 'undo' is missing");
});

test('a column is its field and its migration: the export writes it, and the import takes it', {
  timeout: 120_000,
}, async () => {
  const { company, space } = await world.team();
  const { id } = await world.goal(space);
  await world.sql(`UPDATE goals SET mood = 'hopeful' WHERE id = $1`, [id]);
  const moodNow = async () => (await world.sql('SELECT mood FROM goals WHERE id = $1', [id]))[0].mood;
  const file = join(copy, 'company.jsonl');
  await inCopy('dist/main.js', 'export', file, '--company', company.companyId);
  const exported = await readFile(file, 'utf8');
  expect(exported).toContain('"mood": "hopeful"');
  const update = async (text: string) => {
    await writeFile(file, text);
    return (await inCopy('dist/main.js', 'import', '--update', file)).stdout;
  };
  await update(exported.replace('"hopeful"', '"proud"'));
  expect(await moodNow()).toBe('proud');
  // A file that does not know the column says that it has none.
  await update(exported.replace(/"mood": "hopeful",? ?/, ''));
  expect(await moodNow()).toBeNull();
});

describe('the fifth operation', { timeout: 120_000 }, () => {
  test('runs in REST, GraphQL and MCP, needs its scope, is an event, and can be taken back', async () => {
    const { caller, space } = await world.team();
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) ids.push((await world.goal(space)).id);
    const isArchived = async () => {
      const rows = await world.db.goal.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
      return rows.map(({ archivedAt }) => archivedAt !== null);
    };
    const { id: tokenId, token } = await tokenOf(caller.id, '--write', '--scope', 'archive_goal');
    const other = await tokenOf(caller.id, '--write', '--scope', 'reopen_goal');
    const { client } = gateway;
    const path = '/api/external/v1/archive_goal';

    expect(await client.post(path, other.token, { id: ids[0] })).toMatchObject({
      status: 403,
      body: { missing_scopes: ['archive_goal'] },
    });
    const preview = 'query ($id: ID!) { previewArchiveGoal(input: { id: $id }) { wouldChange goal { isArchived } } }';
    const previewed = await client.graphql(other.token, preview, { id: ids[0] });
    expect(previewed.body.data.previewArchiveGoal).toEqual({ wouldChange: true, goal: { isArchived: false } });
    expect(await isArchived()).toEqual([false, false, false]);

    expect(await client.post(path, token, { id: ids[0] })).toMatchObject({
      status: 200,
      body: { goal: { id: ids[0], is_archived: true } },
    });
    const mutation =
      'mutation ($id: ID!) { archiveGoal(input: { id: $id }) { goal { isArchived } activity { action } } }';
    const mutated = await client.graphql(token, mutation, { id: ids[1] });
    expect(mutated.body.data.archiveGoal).toEqual({
      goal: { isArchived: true },
      activity: { action: 'GOAL_ARCHIVED' },
    });
    const agent = new Agent(client, token);
    expect(Object.keys(await agent.tools())).toContain('archive_goal');
    expect(await agent.data('archive_goal', await agent.confirmed('archive_goal', { id: ids[2] }))).toMatchObject({
      goal: { id: ids[2], is_archived: true },
      activity: { action: 'goal_archived' },
    });
    expect(await isArchived()).toEqual([true, true, true]);

    const types = async () => {
      const { body } = await client.graphql(caller.token, '{ events(first: 50) { nodes { body } } }');
      const bodies: Json[] = body.data.events.nodes.map((each: Json) => each.body);
      return bodies.map(({ type, data }) => [type, data.goal_id]);
    };
    await expect.poll(types).toEqual(ids.map((id) => ['goal.archived', id]));

    const dry = JSON.parse((await inCopy('dist/main.js', 'token', 'undo', tokenId, '--dry-run', '--json')).stdout);
    expect(dry.changes.map(({ left }: Json) => left)).toEqual([null, null, null]);
    const undone = await inCopy('dist/main.js', 'token', 'undo', tokenId);
    expect(undone.stdout.match(/^undone {2}goal_archived/gm)).toHaveLength(3);
    expect(await isArchived()).toEqual([false, false, false]);
    await expect
      .poll(async () => (await types()).slice(3))
      .toEqual(ids.toReversed().map((id) => ['goal.unarchived', id]));
  });

  test('is in the reference, before an example of it is recorded, and in the OpenAPI document', async () => {
    const reference = await fetch(`${gateway.base}/docs`);
    const text = await reference.text();
    expect(reference.status).toBe(200);
    expect(text).toContain('Archive a goal');
    expect(text).not.toContain('Example response: Archive a goal');
    expect((await fetch(`${gateway.base}/graphql`, { headers: { accept: 'text/html' } })).status).toBe(200);
    const { paths } = (await gateway.client.fetch('/openapi.json')).body;
    expect(paths).toHaveProperty('/archive_goal');
  });

  // Last: it builds the copy anew, of which the gateway runs.
  test('is what the tests of the contract, the tools, the pages and isolation expect, once its contract is written', {
    timeout: 480_000,
  }, async () => {
    await inCopy('node_modules/tsx/dist/cli.mjs', 'tools/schema/run.ts');
    const suites = [
      'test/contract',
      'test/pages',
      'test/api/mcp.test.ts',
      'test/access/scopes',
      'test/access/isolation',
    ];
    const operation = 'test/operations/archiveGoal.test.ts';
    const { stdout } = await run('npx', ['vitest', 'run', '--project', 'product', ...suites, operation], {
      cwd: copy,
      env: withoutVitest,
      maxBuffer: 2 ** 26,
    });
    expect(stdout).toMatch(/Tests .*\d+ passed/);
  });
});
