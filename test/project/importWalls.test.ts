import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { pathOf, rowsOf, sectionOf, textOf } from '../support/documents.js';
import { importsOf } from '../support/importsOf.js';

const namesIn = (cell: string) => [...cell.matchAll(/`([\w./]+)`/g)].map(([, name = '']) => name);

/** A room of src, which is a folder, a file of its own or a module of the platform, and the rooms that it may import: the table of src/README.md. */
const table = new Map(
  rowsOf(sectionOf(textOf('src/README.md'), 'Who may import whom')).map(([room = '', allowed = '']) => [
    namesIn(room)[0] ?? '',
    namesIn(allowed),
  ]),
);
const rooms = [...table.keys()];

const src = pathToFileURL(pathOf('src/')).href;
const files = readdirSync(pathOf('src'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.[cm]?[jt]sx?$/.test(file) && !file.startsWith('generated/'),
);

/** The room that Node reaches by this path from a file of src, also by detours and encoded; undefined outside src. */
function roomAt(path: string, file: string): string | undefined {
  const href = URL.canParse(path, src + file) ? new URL(path, src + file).href : '';
  if (!href.startsWith(src)) return undefined;
  const [room = '', inside = ''] = decodeURIComponent(href.slice(src.length)).split(/[/?]/);
  return room === 'platform' ? `platform/${inside}` : room.replace(/\.js$/, '.ts');
}

/** Whether a path leads past the door of a platform module: to another file than its `index.ts`. */
const isPastDoor = (path: string, file: string, to: string) =>
  to.startsWith('platform/') &&
  decodeURIComponent(new URL(path, src + file).pathname) !==
    `${decodeURIComponent(new URL(src).pathname)}${to}/index.js`;

/** The specifier of a package or of a module of Node, but not of this package. */
const isPackage = (path: string) => /^(node:)?[@\w][^:]*$/.test(path) && !/^goalpost(\/|$)/.test(path);

/** What a file of src imports from other rooms. A room that cannot be told is undefined. */
const crossings = (file: string, code: string) =>
  importsOf(code).flatMap(({ line, path, isImport, isType }) => {
    if (isImport && path && isPackage(path)) return [];
    const isPath = path !== undefined && (!isImport || /^([./\\]|file:)/.test(path));
    const from = roomAt(file, '') ?? '';
    const to = isPath ? roomAt(path, file) : undefined;
    // Any other text may be no path, or that of data outside src.
    const isElsewhere = !isImport && !rooms.includes(to ?? '');
    if (to === from || isElsewhere) return [];
    const past = path !== undefined && to !== undefined && isPastDoor(path, file, to);
    if (isType && !past && from.startsWith('platform/') && to?.startsWith('platform/')) return [];
    return [{ line, path: path ?? 'a path that is not a plain string', from, to, isPastDoor: past }];
  });

/** The lines of a file of src that import what the table does not allow its room. */
const refusals = (file: string, code: string) =>
  crossings(file, code).flatMap(({ line, path, from, to, isPastDoor }) => {
    const allowed = table.get(from) ?? [];
    if (isPastDoor) return [`src/${file}:${line} imports ${path}, which is past the door of ${to}, its index.ts`];
    if (to && allowed.includes(to)) return [];
    return [`src/${file}:${line} imports ${path}; ${from} may import ${allowed.join(', ') || 'no other room'}`];
  });

test('every import of src is in the table', () => {
  expect(files.flatMap((file) => refusals(file, textOf(`src/${file}`)))).toEqual([]);
});

test('what is generated enters platform modules by their doors', () => {
  const files = ['generated/models.ts'];
  expect(
    files.flatMap((file) => crossings(file, textOf(`src/${file}`)).filter(({ isPastDoor: past }) => past)),
  ).toEqual([]);
});

test('every room of src is in the table', () => {
  const modules = readdirSync(pathOf('src/platform')).map((name) => `platform/${name}`);
  const others = readdirSync(pathOf('src')).filter((name) => name !== 'README.md' && name !== 'platform');
  expect([...rooms].sort()).toEqual([...others, ...modules].sort());
});

test('every arrow of the table is used', () => {
  const used = new Set(
    files.flatMap((file) => crossings(file, textOf(`src/${file}`)).map(({ from, to }) => `${from} -> ${to}`)),
  );
  const arrows = rooms.flatMap((room) => table.get(room)?.map((other) => `${room} -> ${other}`));
  expect(arrows.filter((arrow) => !used.has(arrow ?? ''))).toEqual([]);
});

test('every arrow of the table points to a row below, so none points up and none are in a circle', () => {
  const arrows = rooms.flatMap((room, row) => table.get(room)?.map((other) => ({ room, other, row })) ?? []);
  expect(arrows.filter(({ other, row }) => rooms.indexOf(other) <= row)).toEqual([]);
});

/** Lines of code that import a path, each in a way of its own. */
const ways = (path: string) => [
  `import '${path}';`,
  `import x from '${path}';`,
  `import * as x from "${path}";`,
  `import /* why */ { type X } from '${path}';`,
  `import type { X } from '${path}';`,
  `import x from '${path}' with { type: 'json' };`,
  `export * from '${path}';`,
  `export * as x from '${path}';`,
  `export { x } from '${path}';`,
  `export type { X } from '${path}';`,
  `await import('${path}');`,
  `const load = () => import(\`${path}\`);`,
  `let x: import('${path}').X;`,
  `let x: typeof import('${path}');`,
  `import x = require('${path}');`,
  `require('${path}');`,
  `createRequire(import.meta.url)('${path}');`,
  `declare module '${path}' {}`,
  `new Worker(new URL('${path}', import.meta.url));`,
  `/// <reference path="${path}" />`,
];

/** Spellings of the path from a file of src to a file of another room. */
function spellings(up: string, room: string, within: string): string[] {
  const inside = room.startsWith('platform/') ? 'index.js' : 'deep/x.js';
  const end = room.endsWith('.ts') ? room.replace('.ts', '.js') : `${room}/${inside}`;
  return [
    up + end,
    `./${up}${end}`,
    `./x/../${up}${end}`,
    `${up}x/../${end}`,
    `${up}../src/${end}`,
    `./%2e%2e/${within}${up}${end}`,
    `${up}./%${end.charCodeAt(0).toString(16)}${end.slice(1)}`,
    `${up}${end}?x`,
    `${up}./${end}`.replaceAll('/', '\\\\'),
  ];
}

test.each(rooms)('what the table does not allow is refused in %s, however it is written', (room) => {
  const isFile = room.endsWith('.ts');
  const isModule = room.startsWith('platform/');
  const deeper = isModule ? '../' : '';
  const places = isFile
    ? [{ file: room, up: './', within: 'src/' }]
    : [
        { file: `${room}/x.ts`, up: `${deeper}../`, within: `${isModule ? room.slice('platform/'.length) : room}/` },
        { file: `${room}/folder/x.ts`, up: `${deeper}../../`, within: 'folder/' },
      ];
  for (const { file, up, within } of places) {
    const others = rooms.filter((other) => other !== room);
    const lines = others.flatMap((other) => {
      const isAllowed = table.get(room)?.includes(other);
      const areModules = isModule && other.startsWith('platform/');
      const written = spellings(up, other, within).flatMap((path, index) =>
        index ? [`import '${path}';`] : ways(path),
      );
      return written.map((line) => ({
        line,
        isRefused: !isAllowed && !(areModules && /^(im|ex)port type /.test(line)),
      }));
    });
    const found = refusals(file, lines.map(({ line }) => line).join('\n'));
    expect(found.map((refusal) => lines[Number(/:(\d+) /.exec(refusal)?.[1]) - 1]?.line)).toEqual(
      lines.filter(({ isRefused }) => isRefused).map(({ line }) => line),
    );
  }
});

test.each([
  'import(name);',
  "import('../lists/' + name);",
  'import(`../lists/$' + '{name}.js`);',
  'require(name);',
  "import '#lists/x.js';",
  "import 'goalpost';",
  "export * from 'goalpost/openapi.json';",
  "import '/src/lists/x.js';",
  "import 'file:///src/lists/x.js';",
  "import 'data:text/javascript,1';",
  "import '../support/world.js';",
  "new URL('x/../../rest/x.js', import.meta.url);",
])('what could be a way around the table is refused: %s', (line) => {
  expect(refusals('schema/x.ts', line)).toHaveLength(1);
});

test.each([
  "import '../platform/http/router.js';",
  "import type { Route } from '../platform/http/router.js';",
  "import '../platform/http/index.js/../router.js';",
  "import '../platform/postgres/reader/index.js';",
])('a file past the door of a module is refused, also for its types: %s', (line) => {
  expect(refusals('rest/x.ts', line)).toEqual([expect.stringContaining('past the door')]);
  expect(refusals('platform/graphql/x.ts', line.replace('../', '../../'))).toEqual([
    expect.stringContaining('past the door'),
  ]);
});

test('its own room, packages and modules of Node are free, and a refusal says what is allowed', () => {
  const code =
    "import './types/x.js';\nimport 'node:fs';\nimport '@prisma/client/x.js';\nimport '../../src/rest/x.js';";
  expect(refusals('workspace/x.ts', code)).toEqual([
    'src/workspace/x.ts:4 imports ../../src/rest/x.js; workspace may import rules, platform/http, files.ts, version.ts, platform/postgres, generated',
  ]);
});
