import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { version } from '../../src/version.js';
import { pathOf, textOf } from '../support/documents.js';
import { built, goalpost } from '../support/goalpost.js';
import { openApi } from '../support/openapiValidator.js';

interface Package {
  version?: string;
  resolved?: string;
  link?: boolean;
}

const read = (file: string) => JSON.parse(textOf(file));
const locked: Record<string, Package> = read('package-lock.json').packages;
const installed = Object.entries(locked).filter(([path, { link }]) => path.includes('node_modules/') && !link);

beforeAll(built);

test('GraphQL is installed once, and is not in the bundle: types of one copy are not those of another', () => {
  expect(installed.filter(([path]) => path.endsWith('node_modules/graphql'))).toHaveLength(1);
  for (const file of readdirSync(pathOf('dist')).filter((name) => name.endsWith('.js')))
    expect(textOf(`dist/${file}`)).not.toMatch(/\bGraphQLObjectType ?= ?class\b|\bclass GraphQLObjectType\b/);
  // It reads NODE_ENV when it is loaded.
  expect(textOf('dist/main.js')).not.toMatch(/\bfrom ?["']\.|\bimport ?["']\./);
});

test('the version is that of package.json, everywhere', async () => {
  expect([locked['']?.version, openApi.info.version, read('openapi.json').info.version]).toEqual(
    Array(3).fill(version),
  );
  expect(read('package.json').version).toBe(version);
  expect((await goalpost(['--version'])).stdout).toBe(`${version}\n`);
});

test('the bundle has no package under a licence that docs/licence.md does not count', () => {
  const { components } = JSON.parse(textOf('dist/sbom.cdx.json'));
  const counts = new Map<string, number>();
  for (const { licenses } of components)
    counts.set(licenses[0].expression, (counts.get(licenses[0].expression) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({ MIT: 54, 'Apache-2.0': 9, ISC: 7, 'BSD-3-Clause': 1, '0BSD': 1 });
  expect(textOf('docs/licence.md')).toContain('54 packages under MIT, 9 under Apache 2.0, 7 under ISC, one each');
});

test('an installation without what the build needs says how to get it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-prepare-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { status, stderr } = spawnSync(process.execPath, [pathOf('tools/build/prepare.mjs')], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toBe('The build tools are not installed, as with NODE_ENV=production: run npm ci --include=dev\n');
});
