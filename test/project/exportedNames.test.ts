import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.js';
import { pathOf } from '../support/documents.js';

const src = pathOf('src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.includes('generated'),
);
const operations = readdirSync(join(src, 'operations')).map((file) => basename(file, '.ts'));

test('an exported name means one thing; only an operation and a GraphQL type are named alike wherever they appear', () => {
  const places = new Map<string, string[]>();
  for (const file of files) {
    const text = readFileSync(join(src, file), 'utf8');
    for (const [, name = ''] of text.matchAll(
      /^export (?:abstract |async )?(?:const|function|class|interface|type|enum) (\w+)/gm,
    )) {
      places.set(name, [...(places.get(name) ?? []), file]);
    }
  }
  const shared = [...places].filter(
    ([name, where]) => where.length > 1 && !operations.includes(name) && !schema.getType(name),
  );
  expect(shared).toEqual([]);
  expect(places.size).toBeGreaterThan(200);
});
