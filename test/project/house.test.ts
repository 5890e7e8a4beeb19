import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { itinerary } from '../../src/app.js';
import { parameters } from '../../src/platform/fairness/parameters.js';
import { pathOf, sectionOf, textOf } from '../support/documents.js';
import { createWorld, restPaths } from '../support/world.js';

const sources = readdirSync(pathOf('src'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.startsWith('generated/'),
);
const modules = readdirSync(pathOf('src/platform'));
const linesOf = (file: string) => textOf(`src/${file}`).split('\n').length - 1;

test('src has few, deep files: at most ten for each 1,000 lines', () => {
  const lines = sources.map(linesOf).reduce((sum, count) => sum + count, 0);
  expect((sources.length / lines) * 1000).toBeLessThanOrEqual(10);
});

test.each(modules)(
  'platform/%s has a README of one screen with a table of its steps, which names its files',
  (name) => {
    const text = textOf(`src/platform/${name}/README.md`);
    expect(text.split('\n').length).toBeLessThanOrEqual(50);
    expect(text).toContain('| Step');
    const files = readdirSync(pathOf(`src/platform/${name}`)).filter((file) => /^(?!index).*\.ts$/.test(file));
    expect(files.filter((file) => !text.includes(`\`${file}\``))).toEqual([]);
    const named = [...text.matchAll(/`(?!\.)([\w]+\.ts)`/g)].map(([, file = '']) => file);
    expect(named.filter((file) => !files.includes(file) && file !== 'index.ts' && file !== 'builds.ts')).toEqual([]);
  },
);

test('the README of fairness has every parameter', () => {
  const text = textOf('src/platform/fairness/README.md');
  const named = new Set<string>();
  for (const [, cell = ''] of text.matchAll(/^\| (`[a-z].*?) \|/gm)) {
    let group = '';
    for (const [, name = ''] of cell.matchAll(/`([\w.]+)`/g)) {
      if (!name.startsWith('.')) group = name.replace(/\.?\w+$/, '');
      named.add(name.startsWith('.') ? `${group}${name}` : name);
    }
  }
  const all = Object.entries(parameters).flatMap(([group, value]) =>
    typeof value === 'number' ? [group] : Object.keys(value).map((name) => `${group}.${name}`),
  );
  expect([...named].sort()).toEqual(all.sort());
});

test.each(modules)('what the door of platform/%s exports has a doc comment where it is defined', (name) => {
  const door = textOf(`src/platform/${name}/index.ts`);
  const bare = [...door.matchAll(/^export \{([^}]*)\} from '\.\/(.*)\.js';/gm)].flatMap(([, list = '', file]) => {
    const text = textOf(`src/platform/${name}/${file}.ts`);
    const names = list.split(',').map((each) => each.trim());
    const isDescribed = (each: string) =>
      new RegExp(`\\*/\\nexport (async )?(const|class|function\\*?) ${each}\\b`).test(text);
    return names.filter((each) => each && !each.startsWith('type ') && !isDescribed(each));
  });
  expect(bare).toEqual([]);
});

test('the order of checks in docs/errors.md is that of the itinerary', () => {
  const items = [...sectionOf(textOf('docs/errors.md'), 'Order of checks').matchAll(/^\d\. (.*)$/gm)];
  const statuses = items.map(([, text = '']) =>
    [...text.replace(/\(.*?\)/g, '').matchAll(/\b[45]\d\d\b/g)].map(Number),
  );
  expect(statuses.map((list) => [...new Set(list)])).toEqual(itinerary.map(({ refuses }) => refuses));
});

interface Passed {
  status: number;
  files: string[];
}

/** The files of src that requests run through, in a gateway that is run from its sources, once it is warm. */
async function pathsOf(requests: { warm: object[]; measured: object[] }[], databaseUrl: string, token: string) {
  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', pathOf('test/support/pathOfRequest.ts')], {
    cwd: pathOf('.'),
    env: { ...process.env, DATABASE_URL: databaseUrl, TOKEN: token, REQUESTS: JSON.stringify(requests) },
  });
  return JSON.parse((await run).stdout) as Passed[];
}

/** The rooms of the product and the modules of the platform that files are in. */
const roomsOf = (files: string[]) => new Set(files.map((file) => /^platform\/[^/]+|^[^/]+/.exec(file)?.[0] ?? ''));

test('a request runs through few rooms and files', async () => {
  const world = await createWorld();
  const { caller, hub } = await world.teamWithHub('space');
  const { id } = await world.document(hub, caller, ['one', 'two']);
  const { token } = caller;
  const restore = (current: number) => ({
    path: restPaths.restoreDocumentVersion,
    token: true,
    body: { document_id: id, version_number: current % 2 ? 2 : 1, expected_current_version: current },
  });
  const unknown = { path: restPaths.reopenGoal, token: false, body: {} };
  const [restored, refused] = await pathsOf(
    [
      { warm: [restore(2), restore(3), restore(4)], measured: [restore(5), restore(6), restore(7)] },
      { warm: [unknown, unknown], measured: [unknown, unknown, unknown] },
    ],
    world.url,
    token,
  );
  expect(restored?.status).toBe(200);
  expect(refused?.status).toBe(401);
  const limits = { restored: { rooms: 17, files: 60 }, refused: { rooms: 10, files: 18 } };
  for (const [path, limit] of [
    [restored, limits.restored],
    [refused, limits.refused],
  ] as const) {
    const files = path?.files ?? [];
    expect(roomsOf(files).size, files.join('\n')).toBeLessThanOrEqual(limit.rooms);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(limit.files);
  }
});
