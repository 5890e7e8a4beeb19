import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { pathOf, rowsOf, sectionOf, textOf } from '../support/documents.js';

const rows = rowsOf(textOf('docs/decisions.md'));
const reasons = new Map(rows.map(([decision = '', reason = '']) => [decision, reason]));
const details = textOf('test/decisions.md').replaceAll('](../docs/importing.md', '](importing.md');
const proofs = rowsOf(details);

describe('a decision', () => {
  test('of docs/decisions.md is one of many, and has its proofs in test/decisions.md', () => {
    expect(rows.length).toBeGreaterThan(40);
    const proved = new Set(proofs.map(([decision]) => decision));
    expect(rows.filter(([decision]) => !proved.has(decision))).toEqual([]);
  });

  test('stands once, under the same heading in both', () => {
    const placesIn = (text: string) =>
      text.split(/^## /m).flatMap((part) => rowsOf(part).map(([decision]) => [decision, part.split('\n')[0]] as const));
    const places = new Map(placesIn(details));
    expect(places.size).toBe(proofs.length);
    for (const [decision, heading] of placesIn(textOf('docs/decisions.md'))) expect(places.get(decision)).toBe(heading);
  });

  test.each(proofs)('%s', (decision, proof = '', reason = '') => {
    // The reason stands once: on the page, or here if the page leaves the decision out.
    expect([reasons.get(decision ?? '') ?? '', reason].filter(Boolean)).toHaveLength(1);
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
  const parts = sectionOf(textOf('test/dependencies.md'), 'Built or bought');
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
