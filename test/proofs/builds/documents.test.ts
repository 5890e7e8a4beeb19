import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { itinerary } from '../../../src/app.js';
import { sdl } from '../../../src/schema.js';
import {
  anchorOf,
  blocksOf,
  documents,
  headingsOf,
  notes,
  pathOf,
  proseOf,
  rowsOf,
  sectionOf,
  textOf,
} from '../../support/documents.js';

const { scripts, files: packed } = JSON.parse(textOf('package.json'));
const pages = [...documents, ...notes];

describe.each(pages)('%s', (file) => {
  const text = textOf(file);
  const links = [...proseOf(text).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => {
    const [path = '', anchor] = link.split('#');
    return { link, target: path === '' ? file : join(file, '..', path), anchor };
  });

  test('has links that lead somewhere, and in the package too if it is in it', () => {
    const broken = links.filter(
      ({ target, anchor }) =>
        !existsSync(pathOf(target)) ||
        (anchor !== undefined && !headingsOf(textOf(target)).map(anchorOf).includes(anchor)) ||
        (documents.includes(file) &&
          !['README.md', ...packed].some((each) => target === each || target.startsWith(`${each}/`))),
    );
    expect(broken.map(({ link }) => link)).toEqual([]);
  });

  test('names files, folders and npm scripts that exist', () => {
    const named = (pattern: RegExp) => [...proseOf(text).matchAll(pattern)].map(([, name = '']) => name);
    const paths = named(/`(?:npx tsx )?((?:src|test|prisma|docs|bench|tools)\/[\w./-]*)/g);
    expect(paths.filter((path) => !existsSync(pathOf(path)))).toEqual([]);
    expect(named(/npm run ([\w:-]+)/g).filter((name) => !(name in scripts))).toEqual([]);
  });

  test('has GraphQL that fits the schema', () => {
    const schema = buildSchema(sdl());
    expect(blocksOf(text, 'graphql').flatMap((document) => validate(schema, parse(document)))).toEqual([]);
  });
});

test('the README has the defaults of docs/settings.md', () => {
  const tables = [sectionOf(textOf('docs/settings.md'), 'All settings'), sectionOf(textOf('README.md'), 'Settings')];
  const [all = [], short = []] = tables.map((text) =>
    rowsOf(text).map(([name = '', value = '']) => [name.replaceAll('`', ''), value] as const),
  );
  expect(short.length).toBeGreaterThan(0);
  expect(all).toEqual(expect.arrayContaining([...short]));
});

test('docs/errors.md has the order of checks of the code', () => {
  const steps = [...sectionOf(textOf('docs/errors.md'), 'Order of checks').matchAll(/^\d\. (.*)$/gm)];
  const statuses = steps.map(([, text = '']) => new Set(text.replace(/\(.*?\)/g, '').match(/\b[45]\d\d\b/g)));
  expect(statuses.map((set) => [...set].map(Number))).toEqual(itinerary.map(({ refuses }) => refuses));
});
