import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { pathOf, rowsOf, sectionOf, textOf } from '../support/documents.js';

const page = textOf('docs/decisions.md');
const parts = sectionOf(page, 'Built or bought');
const rows = rowsOf(page.replace(parts, ''));
const proofs = new Map(rowsOf(textOf('test/decisions.md')).map(([decision = '', proof = '']) => [decision, proof]));

describe('a decision', () => {
  test('is one of many', () => {
    expect(rows.length).toBeGreaterThan(80);
  });

  test('has its proofs in test/decisions.md, which has no others', () => {
    expect([...proofs.keys()].sort()).toEqual(rows.map(([decision = '']) => decision).sort());
  });

  test.each(rows)('%s', (decision, reason = '') => {
    const proof = proofs.get(decision ?? '') ?? '';
    expect(reason).not.toBe('');
    expect(proof).not.toBe('');
    const named = [...proof.matchAll(/`([\w/]+)`: "(.+?)"(?=; `|$)/g)];
    expect(named.map(([one]) => one).join('; ')).toBe(proof);
    for (const [one, file = '', title = ''] of named) {
      const path = pathOf(`test/${file}.test.ts`);
      expect(existsSync(path), `${one} names a file of tests`).toBe(true);
      expect(hasTitle(textOf(`test/${file}.test.ts`), title), `${one} names a title`).toBe(true);
    }
  });
});

test('every package that src imports is in the table "Built or bought"', () => {
  const { devDependencies } = JSON.parse(textOf('package.json'));
  const sources = readdirSync(pathOf('src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const imported = sources.flatMap((file) => [
    ...textOf(`src/${file}`).matchAll(/^(?!import type).*from '([^'.][^']*)'/gm),
  ]);
  const packages = new Set(imported.map(([, path = '']) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? ''));
  const names = Object.keys(devDependencies).filter((name) => packages.has(name));
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !parts.includes(`\`${name}\``))).toEqual([]);
});

/** Whether a file has a test or a group of tests with a title. */
const hasTitle = (source: string, title: string) =>
  [`'${title}'`, `"${title}"`, `\`${title}\``].some((literal) => {
    const before = source.slice(0, source.indexOf(literal));
    return source.includes(literal) && /\(\s*$/.test(before);
  });
