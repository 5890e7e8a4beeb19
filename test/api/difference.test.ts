import { describe, expect, test } from 'vitest';
import { type Change, difference, Effort } from '../../src/text/difference.js';
import { plainText } from '../../src/text/plainText.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();

const doc = (...content: Json[]) => JSON.stringify({ type: 'doc', content });
const paragraph = (...texts: (string | Json)[]) => ({
  type: 'paragraph',
  content: texts.map((text) => (typeof text === 'string' ? { type: 'text', text } : text)),
});

const joined = (changes: Change[], ...kinds: Change['kind'][]) =>
  changes.flatMap(({ kind, text }) => (kinds.includes(kind) ? text : [])).join('');

function compare(before: string, after: string, effort?: Effort) {
  const found = difference(before, after, effort);
  expect(joined(found.changes, 'unchanged', 'removed')).toBe(before);
  expect(joined(found.changes, 'unchanged', 'added')).toBe(after);
  return found;
}

describe('the difference of two texts', () => {
  test('is found word by word', () => {
    expect(compare('The quick fox', 'The slow fox')).toEqual({
      granularity: 'word',
      changes: [
        { kind: 'unchanged', text: 'The ' },
        { kind: 'removed', text: 'quick' },
        { kind: 'added', text: 'slow' },
        { kind: 'unchanged', text: ' fox' },
      ],
    });
  });

  test.each([
    ['', ''],
    ['', 'a'],
    ['a\n', '\na'],
    ['\n', 'x'],
    ['same', 'same'],
    ['a\nb\nc', 'a\nX\nc'],
    ['a\na\na', 'a\na'],
    ['naïve 👩‍👩‍👧 text\r\n', 'naïve 👩‍👧 text\r\n'],
  ])('keeps both: %j and %j', (before, after) => {
    compare(before, after);
  });

  test('keeps both for any texts', () => {
    const words = ['a', 'b', ' ', '\n', '\n\n', 'é', '👩‍👧', '.'];
    for (let seed = 1; seed < 300; seed++) {
      const text = (salt: number) =>
        Array.from({ length: seed % 23 }, (_, n) => words[(seed * (n + salt) * 7919) % words.length]).join('');
      compare(text(1), text(2));
    }
  });

  test('of long texts with a small edit is still found word by word', () => {
    const lines = Array.from({ length: 50_000 }, (_, n) => `line ${n} of the text`);
    const found = compare(lines.join('\n'), lines.with(25_000, 'line of another text').join('\n'));
    expect(found.granularity).toBe('word');
    expect(joined(found.changes, 'removed', 'added').length).toBeLessThan(20);
  });

  test('of huge texts that have nothing in common is coarse and takes no effort', () => {
    const text = (salt: number) => Array.from({ length: 100_000 }, (_, n) => `${(n * salt) % 99_991}`).join('\n');
    const [before, after] = [text(7), text(11)];
    const effort = new Effort();
    expect(compare(before, after, effort).granularity).toBe('text');
    expect(effort.remaining).toBe(new Effort().remaining);
  });

  test('is coarser once the effort of the request is spent', () => {
    const text = (salt: number) => Array.from({ length: 2000 }, (_, n) => `w${(n * salt) % 1999}`).join(' ');
    const effort = new Effort();
    const found = Array.from({ length: 200 }, (_, n) => compare(text(n + 2), text(n + 3), effort).granularity);
    expect(found.at(-1)).toBe('text');
    // The last comparison by word may take 40,000 characters and 300 edits more than there is.
    expect(effort.remaining).toBeGreaterThan(-(40_000 + 300 ** 2));
  });
});

describe('a rich text is read', () => {
  test.each([
    ['as it is when it is plain', 'plain { text', 'plain { text'],
    ['as it is when it is JSON of another kind', '{"type":"page"}', '{"type":"page"}'],
    ['line by line for its blocks', doc(paragraph('one'), paragraph('two')), 'one\ntwo'],
    [
      'with mentions, breaks and marks as words',
      doc(
        paragraph(
          'to ',
          { type: 'mention', attrs: { id: 'p1', label: 'Ada' } },
          ':',
          { type: 'hardBreak' },
          {
            type: 'text',
            text: 'now',
            marks: [{ type: 'bold' }],
          },
        ),
      ),
      'to @Ada:\nnow',
    ],
    [
      'with headings and lists',
      doc(
        { type: 'heading', attrs: { level: 2 }, content: [{ type: 'text', text: 'Plan' }] },
        {
          type: 'bulletList',
          content: [
            { type: 'listItem', content: [paragraph('first'), paragraph('more')] },
            { type: 'listItem', content: [] },
            { type: 'listItem', content: [paragraph('last')] },
          ],
        },
      ),
      '## Plan\n- first\nmore\n- \n- last',
    ],
    ['with pictures by name', doc({ type: 'image', attrs: { src: '/a.png', alt: 'A chart' } }), '[A chart]'],
    ['without failing on nonsense', doc({ type: 7, content: 'x' }, { attrs: null }, paragraph('end')), 'end'],
  ])('%s', (_how, text, expected) => {
    expect(plainText(text)).toBe(expected);
  });

  test('however deep it nests', () => {
    const depth = 3000;
    const text = `{"type":"doc","content":[${'{"type":"blockquote","content":['.repeat(depth)}{"type":"text","text":"deep"}${']}'.repeat(depth)}]}`;
    expect(plainText(text)).toBe('deep');
  });
});

describe('a version of a document', () => {
  async function versions(contents: string[], fields: string) {
    const company = await world.company();
    const caller = await world.person(company);
    const space = await world.space(company, [caller]);
    const document = await world.document(await world.hub(company, { spaceId: space.id }), caller, contents);
    const { body } = await world.graphql(
      caller.readOnlyToken,
      `query($id: ID!) { resourceHubDocument(id: $id) { versions { nodes { versionNumber ${fields} } } } }`,
      { id: document.id },
    );
    expect(body.errors).toBeUndefined();
    return body.data.resourceHubDocument.versions.nodes;
  }

  test('has its differences from the previous version and from the current one', async () => {
    const difference =
      '{ title { changes { kind text } } content { granularity changes { kind text } } isFormattingOnly }';
    const [third, second, first] = await versions(
      ['one fish', 'two fish', 'two birds'],
      `diffToPrevious ${difference} diffToCurrent ${difference}`,
    );
    expect(first.diffToPrevious).toBeNull();
    expect(third.diffToCurrent).toBeNull();
    expect(second.diffToPrevious).toEqual({
      title: {
        changes: [
          { kind: 'UNCHANGED', text: 'Title ' },
          { kind: 'REMOVED', text: '1' },
          { kind: 'ADDED', text: '2' },
        ],
      },
      content: {
        granularity: 'WORD',
        changes: [
          { kind: 'REMOVED', text: 'one' },
          { kind: 'ADDED', text: 'two' },
          { kind: 'UNCHANGED', text: ' fish' },
        ],
      },
      isFormattingOnly: false,
    });
    expect(first.diffToCurrent.content.changes).toEqual([
      { kind: 'REMOVED', text: 'one' },
      { kind: 'ADDED', text: 'two' },
      { kind: 'UNCHANGED', text: ' ' },
      { kind: 'REMOVED', text: 'fish' },
      { kind: 'ADDED', text: 'birds' },
    ]);
  });

  test('compares rich text as it reads and says when only the formatting differs', async () => {
    const bold = { type: 'text', text: 'ship it', marks: [{ type: 'bold' }] };
    const [third, second] = await versions(
      [doc(paragraph('ship it')), doc(paragraph(bold)), doc(paragraph(bold), paragraph('today'))],
      'diffToPrevious { isFormattingOnly content { changes { kind text } } }',
    );
    expect(second.diffToPrevious).toEqual({
      isFormattingOnly: true,
      content: { changes: [{ kind: 'UNCHANGED', text: 'ship it' }] },
    });
    expect(joined(lower(third.diffToPrevious.content.changes), 'added').trim()).toBe('today');
  });

  test.each([
    ['a name', (attribute: Json) => ({ type: 'mention', attrs: { label: attribute, id: 'Ada' } }), '@Ada'],
    [
      'a description of a picture',
      (attribute: Json) => ({ type: 'image', attrs: { alt: attribute, src: '/a.png' } }),
      '[/a.png]',
    ],
    ['a level of a heading', (attribute: Json) => ({ type: 'heading', attrs: { level: attribute } }), ''],
    ['a type of a block', (attribute: Json) => ({ type: attribute, attrs: { title: 'Ada' } }), '[Ada]'],
  ])('reads %s that is no text as none', async (_what, node, expected) => {
    for (const attribute of [{ toString: 1, valueOf: 1 }, { a: 1 }]) {
      const [second] = await versions(
        ['before', doc(node(attribute))],
        'diffToPrevious { content { changes { kind text } } }',
      );
      expect(joined(lower(second.diffToPrevious.content.changes), 'added')).toBe(expected);
    }
  });
});

const lower = (changes: Json[]) => changes.map(({ kind, text }) => ({ kind: kind.toLowerCase(), text }));
