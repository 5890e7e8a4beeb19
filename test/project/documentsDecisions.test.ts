import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { pathOf, rowsOf, textOf } from '../support/documents.js';

const rows = rowsOf(textOf('docs/decisions.md'));

describe('a decision', () => {
  test('is one of many', () => {
    expect(rows.length).toBeGreaterThan(80);
  });

  test.each(rows)('%s', (_decision, reason = '', proof = '') => {
    expect(reason).not.toBe('');
    expect(proof).not.toBe('');
    const proofs = [...proof.matchAll(/`([\w/]+)`: "(.+?)"(?=; `|$)/g)];
    expect(proofs.map(([one]) => one).join('; ')).toBe(proof);
    for (const [one, file = '', title = ''] of proofs) {
      const path = pathOf(`test/${file}.test.ts`);
      expect(existsSync(path), `${one} names a file of tests`).toBe(true);
      expect(hasTitle(textOf(`test/${file}.test.ts`), title), `${one} names a title`).toBe(true);
    }
  });
});

/** Whether a file has a test or a group of tests with a title. */
const hasTitle = (source: string, title: string) =>
  [`'${title}'`, `"${title}"`, `\`${title}\``].some((literal) => {
    const before = source.slice(0, source.indexOf(literal));
    return source.includes(literal) && /\(\s*$/.test(before);
  });
