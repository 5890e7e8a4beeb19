import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { pathOf } from '../../support/documents.js';

/** Prisma's own command line, on a copy of what it reads, and with nothing to download from. */
async function copy() {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-prisma-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ['prisma', 'prisma.config.ts', 'package.json']) {
    await cp(pathOf(name), join(folder, name), { recursive: true });
  }
  await symlink(pathOf('node_modules'), join(folder, 'node_modules'));
  const { PRISMA_SCHEMA_ENGINE_BINARY: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    PATH: `${pathOf('node_modules/.bin')}:${inherited.PATH}`,
    PRISMA_ENGINES_MIRROR: 'http://127.0.0.1:9',
  };
  const prisma = async (...args: string[]) => {
    const { stdout, stderr } = await promisify(execFile)('prisma', args, { cwd: folder, env });
    return stdout + stderr;
  };
  return { folder, prisma };
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  return Object.fromEntries(paths.map((path, index) => [path.slice(folder.length), texts[index] ?? '']));
}

test.each([
  ['validate', 'is valid'],
  ['format --check', 'All files are formatted correctly'],
])('prisma %s passes without network', async (command, said) => {
  const { prisma } = await copy();
  expect(await prisma(...command.split(' '))).toContain(said);
});

test('prisma generate makes the files that the product is built from, without network', async () => {
  const { folder, prisma } = await copy();
  await prisma('generate');
  const made = await filesOf(join(folder, 'src/generated'));
  expect(Object.keys(made).length).toBeGreaterThan(30);
  expect(made).toEqual(await filesOf(pathOf('src/generated')));
});
