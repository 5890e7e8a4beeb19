import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Package {
  version?: string;
  resolved?: string;
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
  link?: boolean;
}

const read = (file: string) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
const locked: Record<string, Package> = read('package-lock.json').packages;
const installed = Object.entries(locked).filter(([path, { link }]) => path.includes('node_modules/') && !link);

test('production installs at most 80 packages', () => {
  const production = installed.filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional);
  expect(production.length).toBeLessThanOrEqual(80);
});

test('GraphQL is installed once: types of one copy are not those of another', () => {
  expect(installed.filter(([path]) => path.endsWith('node_modules/graphql'))).toHaveLength(1);
});

test.each(['package.json', 'test/client/package.json'])('the versions in %s are exact', (file) => {
  const { dependencies, optionalDependencies, devDependencies, overrides } = read(file);
  const versions = Object.values({ ...dependencies, ...optionalDependencies, ...devDependencies, ...overrides });
  for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+[\w.-]*$/);
});

test('the lock file names no registry', () => {
  expect(installed.filter(([, { resolved }]) => resolved)).toEqual([]);
});
