import { describe, expect, test } from 'vitest';
import { excerptOf, pageOf } from '../../src/text/excerpts.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();

/** The bytes of a text as JSON, and as JSON within JSON. */
const weightOf = (text: string) => {
  const json = JSON.stringify(text);
  return Buffer.byteLength(json) - 2 + Buffer.byteLength(JSON.stringify(json)) - 6;
};

const pagesOf = (text: string) => {
  const found: string[] = [];
  for (let number = 1; ; number += 1) {
    const page = pageOf(text, number);
    if (page.number > page.count) return found;
    found.push(page.text);
  }
};

describe('the pages of a text', () => {
  test.each([
    ['nothing', ''],
    ['a line', 'one line'],
    ['lines', 'A line of some words.\n'.repeat(2_000)],
    ['one long line', 'x'.repeat(50_000)],
    ['quotation marks', '"'.repeat(30_000)],
    ['control characters', '\u0001'.repeat(10_000)],
    ['emoji', '👨‍👩‍👧'.repeat(5_000)],
    ['half characters', '\ud83d\ude00\ud83d'.repeat(5_000)],
  ])('are together the text, and each at most 20 kB in JSON and in JSON within it: %s', (_what, text) => {
    const pages = pagesOf(text);
    expect(pages.join('')).toBe(text);
    for (const page of pages.filter((each) => each.isWellFormed())) expect(weightOf(page)).toBeLessThanOrEqual(20_000);
    if (text.isWellFormed()) expect(pages.every((page) => page.isWellFormed())).toBe(true);
  });

  test('are read of a document and of its versions, as people read them', async () => {
    const { caller, hub } = await world.teamWithHub('space');
    const paragraph = { type: 'paragraph', content: [{ type: 'text', text: 'Word '.repeat(50) }] };
    const long = JSON.stringify({ type: 'doc', content: Array.from({ length: 100 }, () => paragraph) });
    const { id } = await world.document(hub, caller, ['short', long]);
    const query = `query ($id: ID!, $page: Int) { resourceHubDocument(id: $id) {
      readableText(page: $page) { text number count } version(number: 1) { readableText { text number count } } } }`;
    const read = async (page?: number) => (await world.graphql(caller.token, query, { id, page })).body;
    const { data } = await read();
    expect(data.resourceHubDocument.version.readableText).toEqual({ text: 'short', number: 1, count: 1 });
    const { text, number, count } = data.resourceHubDocument.readableText;
    expect({ number, count }).toEqual({ number: 1, count: 3 });
    const rest = await Promise.all(
      [2, 3].map(async (page) => (await read(page)).data.resourceHubDocument.readableText.text),
    );
    expect([text, ...rest].join('')).toBe(Array.from({ length: 100 }, () => 'Word '.repeat(50)).join('\n'));
    for (const [page, code] of [
      [4, 'too_large'],
      [0, 'too_small'],
    ] as const)
      expect((await read(page)).errors[0].extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        errors: [{ field: 'page', code }],
      });
  });
});

describe('an excerpt of a difference', () => {
  test('says how many changed characters it leaves out', () => {
    const changes = [
      { kind: 'unchanged', text: 'same ' },
      { kind: 'removed', text: 'x'.repeat(1_000) },
      { kind: 'added', text: 'y' },
    ] as const;
    expect(excerptOf(changes, 10_000)).toEqual({ changes, omitted: 0 });
    const cut = excerptOf(changes, 1_000);
    expect(cut.changes.at(-1)?.text.length).toBeLessThan(500);
    expect(cut.omitted).toBe(1_001 - (cut.changes.at(-1)?.text.length ?? 0));
  });
});
