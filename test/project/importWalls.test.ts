import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { pathOf } from '../support/documents.js';

const root = pathOf('.');
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
const contributing = readFileSync(join(root, 'docs/contributing.md'), 'utf8');

/** The table "Who may import whom": a room of src, a folder or a file of its own, and the rooms it may import. */
const matrix = new Map(
  [...contributing.matchAll(/^\| `([\w.]+)` \|.*?\| (.*) \|$/gm)].map(([, room = '', allowed = '']) => [
    room,
    [...allowed.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name),
  ]),
);
const rooms = [...matrix.keys()];

const isFile = (room: string) => room.endsWith('.ts');
const entries = (folder: string) => readdirSync(join(root, folder), { withFileTypes: true });
const hasFolders = (room: string) =>
  entries(`src/${room}`).some((entry) => entry.isDirectory() && !['generated', 'assets'].includes(entry.name));

/** Lines of source that import the room in different ways. */
function waysInto(room: string, up: string, detour: string): string[] {
  const at = (path: string) => (isFile(room) ? path + room.replace(/ts$/, 'js') : `${path}${room}/x.js`);
  const straight = at(up);
  const dotted = up.startsWith('./') ? `./${up}` : `./${up}`;
  return [
    `import '${straight}';`,
    `import x from '${straight}';`,
    `import type { X } from '${straight}';`,
    `export * from '${straight}';`,
    `export { x } from '${straight}';`,
    `await import('${straight}');`,
    ...(isFile(room) ? [] : [`import '${up}${room}/deep/deeper/x.js';`]),
    `import '${at(dotted)}';`,
    `import '${at(`${up}${detour}/../`)}';`,
    `import '${at(`${up}${detour}/deep/../../`)}';`,
    `import '${at(`./y/../${up}`)}';`,
  ];
}

const probes = rooms.flatMap((room) => {
  if (isFile(room)) return [{ room, path: `src/${room}`, up: './' }];
  const deep = hasFolders(room) ? [{ room, path: `src/${room}/folder/probe.ts`, up: '../../' }] : [];
  return [{ room, path: `src/${room}/probe.ts`, up: '../' }, ...deep];
});

const refusedLine = (line: string) => ({ line, isOpen: false });

const copy = await mkdtemp(join(tmpdir(), 'goalpost-walls-'));
afterAll(() => rm(copy, { recursive: true }));

/** The lines that the linter refuses in the copy, such as `src/lists/probe.ts:7`. */
function lint(): Set<string> {
  const { vcs: _vcs, files: _files, ...rules } = JSON.parse(readFileSync(join(root, '.biome.json'), 'utf8'));
  writeFileSync(join(copy, 'biome.json'), JSON.stringify(rules));
  const { stdout } = spawnSync(
    process.execPath,
    [biome, 'lint', '--only=style/noRestrictedImports', '--reporter=github', '--max-diagnostics=none', 'src'],
    { cwd: copy, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const found = [...stdout.matchAll(/file=[^,]*?(src\/[^,]+),line=(\d+),/g)];
  return new Set(found.map(([, file, line]) => `${file}:${line}`));
}

describe('the walls between rooms', () => {
  test('name every room there is', () => {
    const found = entries('src').map(({ name }) => name);
    expect([...rooms].sort()).toEqual(found.sort());
  });

  test('let through what the matrix names, and nothing else, however it is written', async () => {
    const written = await Promise.all(
      probes.map(async ({ room, path, up }) => {
        const allowed = matrix.get(room) ?? [];
        const detour = allowed.find((name) => !isFile(name)) ?? 'nowhere';
        const lines = rooms
          .filter((other) => other !== room)
          .flatMap((other) => {
            const [plain = '', ...others] = waysInto(other, up, detour);
            return allowed.includes(other) ? [{ line: plain, isOpen: true }] : [plain, ...others].map(refusedLine);
          });
        await mkdir(join(copy, dirname(path)), { recursive: true });
        await writeFile(join(copy, path), lines.map(({ line }) => line).join('\n'));
        return { path, lines };
      }),
    );
    const refused = lint();
    const wrong = written.flatMap(({ path, lines }) =>
      lines.flatMap(({ line, isOpen }, index) =>
        refused.has(`${path}:${index + 1}`) === isOpen ? `${path} ${isOpen ? 'may' : 'may not'} ${line}` : [],
      ),
    );
    expect(wrong).toEqual([]);
    expect(refused.size).toBeGreaterThan(1000);
  });

  test('have no door that the linter cannot see', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.includes('generated'),
    );
    const hidden = /\bimport\((?!['"])|\brequire\(|[:=<(|&] *import\(['"]\.|from '[/#]/;
    expect(files.filter((file) => hidden.test(readFileSync(join(root, 'src', file), 'utf8')))).toEqual([]);
  });

  test('let no arrow run in a circle', () => {
    const open = new Set(rooms);
    for (let left = -1; left !== open.size; ) {
      left = open.size;
      for (const room of open) if (matrix.get(room)?.every((name) => !open.has(name))) open.delete(room);
    }
    expect([...open]).toEqual([]);
  });
});
