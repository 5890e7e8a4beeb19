import { describe, expect, test } from 'vitest';
import { type Change, comparison } from '../../src/text/difference.js';
import { elided } from '../../src/text/excerpts.js';
import { isEqual, readingOf } from '../../src/text/reading.js';
import { mentionedIn } from '../../src/text/richText.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();

const doc = (...content: Json[]) => JSON.stringify({ type: 'doc', content });
const nodes = (texts: (string | Json)[]) =>
  texts.map((text) => (typeof text === 'string' ? { type: 'text', text } : text));
const paragraph = (...texts: (string | Json)[]) => ({ type: 'paragraph', content: nodes(texts) });

const joined = (changes: Change[], ...kinds: Change['kind'][]) =>
  changes.flatMap(({ kind, text }) => (kinds.includes(kind) ? text : [])).join('');

const plainText = (text: string) => readingOf(text).text;

function compare(before: string, after: string, milliseconds = 60_000) {
  const found = comparison(readingOf(before), readingOf(after), performance.now() + milliseconds);
  expect(joined(found.changes, 'unchanged', 'removed')).toBe(plainText(before));
  expect(joined(found.changes, 'unchanged', 'added')).toBe(plainText(after));
  return found;
}

/** A difference in a line: what was [-removed-], and what was {+added+}. */
const inLine = (changes: Change[]) =>
  changes.map(({ kind, text }) => ({ unchanged: text, removed: `[-${text}-]`, added: `{+${text}+}` })[kind]).join('');

const isLooks = (before: string, after: string) => isEqual(readingOf(before), readingOf(after));

describe('the difference of two texts', () => {
  test.each([
    ['The quick fox', 'The slow fox', 'The [-quick-]{+slow+} fox'],
    ['Café ouvert', 'Thé ouvert', '[-Café-]{+Thé+} ouvert'],
    ['Cafe\u0301 re\u0301sume\u0301', 'Cafe\u0301 rosse\u0301', 'Cafe\u0301 [-re\u0301sume\u0301-]{+rosse\u0301+}'],
    ['Мы открываем магазин', 'Мы закрываем магазин', 'Мы [-открываем-]{+закрываем+} магазин'],
    ['שלום לכולם', 'שלום לחברים', 'שלום [-לכולם-]{+לחברים+}'],
    ['가게는 봄에', '가게는 가을에', '가게는 [-봄에-]{+가을에+}'],
    ['หน้าร้านเปิด', 'หน้าร้านปิด', 'หน้าร้าน[-เปิด-]{+ปิด+}'],
    ['Team 👨‍👩‍👧 here', 'Team 👨‍👩‍👦 here', 'Team [-👨‍👩‍👧-]{+👨‍👩‍👦+} here'],
    ['ok 👍🏽 done', 'ok 👍🏿 done', 'ok [-👍🏽-]{+👍🏿+} done'],
    ['🇩🇪🇫🇷', '🇩🇪🇮🇹', '🇩🇪[-🇫🇷-]{+🇮🇹+}'],
    ['don’t 1,000.50', 'don’t 1,000.75', 'don’t [-1,000.50-]{+1,000.75+}'],
    // The same word in another spelling is beside itself, not somewhere else.
    ['a é b', 'a e\u0301 b', 'a [-é-]{+e\u0301+} b'],
    // A sentence that was written anew is one change, not the words that happen to be in both.
    [
      'We open the new shop in the spring. See you.',
      'In autumn the old store will be closed. See you.',
      '[-We open the new shop in the spring-]{+In autumn the old store will be closed+}. See you.',
    ],
    ['a b', 'x a b', '{+x +}a b'],
    ['', '', ''],
    ['one\ntwo\nthree', 'one\n2\nthree', 'one\n[-two-]{+2+}\nthree'],
  ])('%j and %j', (before, after, expected) => {
    const { granularity, changes } = compare(before, after);
    expect(inLine(changes)).toBe(expected);
    expect(granularity).toBe('word');
  });

  test('of a word in a paragraph of 62,000 characters is that word', () => {
    const text = '<p class="a">The quick brown fox, '.repeat(1_800);
    const { granularity, changes } = compare(`first ${text} last`, `1st ${text} end`);
    expect(granularity).toBe('word');
    expect(joined(changes, 'removed')).toBe('firstlast');
  });

  test('is coarser where texts differ very much, or no time is left', () => {
    const text = (salt: number, by: string, count: number) =>
      Array.from({ length: count }, (_, n) => `w${(n * salt) % 997}`).join(by);
    expect(compare(text(2, ' ', 500), text(3, ' ', 500)).granularity).toBe('word');
    expect(compare(text(2, ' ', 500), text(3, ' ', 500), 0).granularity).not.toBe('word');
    expect(compare(text(2, ' ', 9_000), text(3, ' ', 9_000)).granularity).toBe('line');
    expect(compare(text(2, '\n', 9_000), text(3, '\n', 9_000)).granularity).toBe('text');
    expect(compare('字'.repeat(100_000), '语'.repeat(100_000), 0).granularity).not.toBe('word');
  });

  test('in more places than anybody reads is of the whole texts', () => {
    const text = (second: string) => `same\n${second}\n`.repeat(40_000);
    expect(compare(text('a'), text('b')).changes.length).toBeLessThan(20_000);
  });
});

test('a mention whose id is a number is of the person with its digits', () => {
  const mention = (id: unknown) => doc(paragraph({ type: 'mention', attrs: { id, label: 'Ann' } }));
  expect(mentionedIn(mention(42))).toEqual(['42']);
  for (const id of [4.2, 2 ** 53, null, true]) expect(mentionedIn(mention(id))).toEqual([]);
});

test.each([
  ['zero one two three four five', 'zero one 2 three four five', 1, '…one [-two-]{+2+} three …'],
  ['zero one two three four five', 'zero one 2 three four five', 0, '…[-two-]{+2+}…'],
  ['one two', 'one 2', 5, 'one [-two-]{+2+}'],
  [`${'x'.repeat(5000)}\na`, `${'x'.repeat(5000)}\nb`, 1, '…\n[-a-]{+b+}'],
])('leaves out what is unchanged: %j', (before, after, words, expected) => {
  const shown = inLine(elided(compare(before, after).changes, words));
  expect(shown.replace(/x+/, '')).toBe(expected);
  expect(shown.length).toBeLessThan(100);
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
      'to @Ada (p1):\nnow',
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
      '## Plan\n- first\n  more\n- \n- last',
    ],
    ['with pictures by name', doc({ type: 'image', attrs: { src: '/a.png', alt: 'A chart' } }), '![A chart](/a.png)'],
    [
      'without failing on nonsense',
      doc({ type: 7, content: 'x' }, { attrs: null }, paragraph('end')),
      '{"content":"x","type":7}\n{"attrs":null}\nend',
    ],
  ])('%s', (_how, text, expected) => {
    expect(plainText(text)).toBe(expected);
  });

  test('with an attribute that is no text as JSON', () => {
    for (const attribute of [{ toString: 1, valueOf: 1 }, { a: 1 }]) {
      const json = JSON.stringify(attribute);
      const mention = { type: 'mention', attrs: { label: attribute, id: 'Ada' } };
      expect(plainText(doc(mention))).toBe(`@Ada{label=${json}}`);
    }
  });

  test('with each row of a table on a line', () => {
    const cell = (type: string, ...content: Json[]) => ({ type, attrs: { colspan: 1 }, content });
    const row = (...content: Json[]) => ({ type: 'table_row', content });
    const table = {
      type: 'table',
      content: [
        row(cell('tableHeader', paragraph('Size')), cell('tableHeader', paragraph('Price'))),
        row(
          cell('tableCell', paragraph('small'), paragraph('or less')),
          cell('tableCell', paragraph('5', { type: 'hardBreak' }, '€')),
        ),
      ],
    };
    expect(plainText(doc(paragraph('Prices'), table, paragraph('end')))).toBe(
      'Prices\n| Size | Price\n| small or less | 5 €\nend',
    );
  });

  test('with a node that is not known as its JSON, in the line or on one of its own', () => {
    const poll = { type: 'poll', attrs: { question: 'Who?' } };
    const json = '{"attrs":{"question":"Who?"},"type":"poll"}';
    expect(plainText(doc(paragraph('a ', poll, ' b'), poll, paragraph('c')))).toBe(`a ${json} b\n${json}\nc`);
    const deep = `{"type":"widget","attrs":{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
    expect(plainText(`{"type":"doc","content":[${JSON.stringify(paragraph('a'))},${deep}]}`)).toBe('a\n…');
  });

  test('as it is when it has more nodes than may be read', () => {
    const text = (nodes: number) =>
      `{"type":"doc","content":[${Array(nodes - 1)
        .fill('{}')
        .join()}]}`;
    expect(plainText(text(200_001))).toBe(text(200_001));
    expect(plainText(text(200_000))).not.toBe(text(200_000));
  });

  test('however deep it nests', () => {
    const depth = 3000;
    const text = `{"type":"doc","content":[${'{"type":"blockquote","content":['.repeat(depth)}{"type":"text","text":"deep"}${']}'.repeat(depth)}]}`;
    expect(plainText(text)).toBe(`${'> '.repeat(20)}deep`);
  });
});

describe('what a reader would care about is read', () => {
  const link = (href: string) => ({ type: 'text', text: 'Pay here', marks: [{ type: 'link', attrs: { href } }] });
  const inText = (node: Json) => doc(paragraph('On ', node, ' then'));
  test.each<[string, string, string, string]>([
    [
      'the target of a link',
      inText(link('https://evil.example')),
      inText(link('https://bank.example')),
      'On [Pay here[-](https://evil.example)-]{+](https://bank.example)+} then',
    ],
    [
      'the person behind a name',
      inText({ type: 'mention', attrs: { id: 'ben', label: 'Alex' } }),
      inText({ type: 'mention', attrs: { id: 'ann', label: 'Alex' } }),
      'On [-@Alex (ben)-]{+@Alex (ann)+} then',
    ],
    [
      'the state of a task (TipTap)',
      doc({ type: 'taskItem', attrs: { checked: false }, content: [paragraph('Sign')] }),
      doc({ type: 'taskItem', attrs: { checked: true }, content: [paragraph('Sign')] }),
      '[-[ ] -]{+[x] +}Sign',
    ],
    [
      'a node that nobody knows',
      inText({ type: 'poll', attrs: { question: 'Who?', options: { b: 1, a: 2 } } }),
      inText({ type: 'poll', attrs: { question: 'When?', options: { a: 2, b: 1 } } }),
      'On {"attrs":{"options":{"a":2,"b":1},"question":"[-Who-]{+When+}?"},"type":"poll"} then',
    ],
    [
      'an attribute that nobody knows',
      doc({ type: 'image', attrs: { src: '/a.png', onclick: 'a()' } }),
      doc({ type: 'image', attrs: { src: '/a.png', onclick: 'b()' } }),
      '[-![](/a.png){onclick=a()}-]{+![](/a.png){onclick=b()}+}',
    ],
    [
      'what is typed to look like a node',
      doc(paragraph('{"type":"poll"}')),
      doc(paragraph({ type: 'poll' })),
      '[-{-]{+{+}"type":"poll"}',
    ],
    [
      'an attribute of the whole document',
      JSON.stringify({ type: 'doc', version: 1, attrs: { cover: 'a' }, content: [paragraph('x')] }),
      JSON.stringify({ type: 'doc', version: 2, attrs: { cover: 'b' }, content: [paragraph('x')] }),
      '[-{cover=a version=1}-]{+{cover=b version=2}+}\nx',
    ],
  ])('%s', (_what, before, after, expected) => {
    expect(inLine(compare(before, after).changes)).toBe(expected);
    expect(isLooks(before, after)).toBe(false);
  });

  test('a source that is too long to be shown is compared as a whole', () => {
    const image = (end: string) =>
      doc({ type: 'image', attrs: { src: `data:image/png;base64,${'A'.repeat(5000)}${end}` } });
    const { changes } = compare(image('1'), image('2'));
    expect(changes.map(({ kind }) => kind)).toEqual(['removed', 'added']);
    expect(changes[0]?.text.length).toBeLessThan(600);
  });

  const plain = (...marks: Json[]) => doc(paragraph({ type: 'text', text: 'plain', marks }));
  const upload = (src: string, progress: number, status: string) =>
    doc({ type: 'blob', attrs: { id: '1', filename: 'a.pdf', filetype: 'application/pdf', src, progress, status } });
  test.each<[string, string, string]>([
    ['bold', plain(), plain({ type: 'bold' }, { type: 'text_style' })],
    [
      'a link in two parts',
      doc(paragraph(link('/a'))),
      doc(
        paragraph(
          { ...link('/a'), text: 'Pay ' },
          { ...link('/a'), text: 'here', marks: [{ type: 'bold' }, ...link('/a').marks] },
        ),
      ),
    ],
    ['an upload', upload('/blobs/a', 40, 'uploading'), upload('/blobs/b', 100, 'uploaded')],
    [
      'the order of keys',
      '{"type":"doc","content":[{"type":"paragraph"}]}',
      '{"content":[{"type":"paragraph"}],"type":"doc"}',
    ],
  ])('%s is formatting', (_what, before, after) => {
    expect(isLooks(before, after)).toBe(true);
    expect(compare(before, after).changes.every(({ kind }) => kind === 'unchanged')).toBe(true);
  });
});

describe('a version of a document', () => {
  async function ask(contents: string[], fields: string) {
    const company = await world.company();
    const caller = await world.person(company);
    const space = await world.space(company, [caller]);
    const document = await world.document(await world.hub(company, { spaceId: space.id }), caller, contents);
    const { body } = await world.graphql(
      caller.readOnlyToken,
      `query($id: ID!) { resourceHubDocument(id: $id) { versions { nodes { versionNumber ${fields} } } } }`,
      { id: document.id },
    );
    return body;
  }

  async function versions(contents: string[], fields: string) {
    const body = await ask(contents, fields);
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
      { kind: 'REMOVED', text: 'one fish' },
      { kind: 'ADDED', text: 'two birds' },
    ]);
  });

  test('shows as many words around a change as are asked for, and says so where that is not possible', async () => {
    const around = (words: number) => `diffToPrevious { content { changes(context: ${words}) { text } } }`;
    const [second] = await versions(['so it is one fish then', 'so it is two fish then'], around(1));
    expect(second.diffToPrevious.content.changes.map(({ text }: Json) => text)).toEqual([
      '…is ',
      'one',
      'two',
      ' fish …',
    ]);
    const { errors } = await ask(['one fish', 'two fish'], around(101));
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ field: 'context' }] });
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

  test('that has another title differs in more than its formatting only if its content does', async () => {
    const bold = { type: 'text', text: 'ship it', marks: [{ type: 'bold' }] };
    const plain = doc(paragraph('ship it'));
    const { caller, hub } = await world.teamWithHub('space');
    const document = await world.document(hub, caller, [
      { title: 'One', content: plain },
      { title: 'Two', content: plain },
      { title: 'Three', content: doc(paragraph(bold)) },
    ]);
    const { body } = await world.graphql(
      caller.token,
      `query ($id: ID!) { resourceHubDocument(id: $id) { versions { nodes {
        titleChanged contentChanged diffToPrevious { isFormattingOnly title { changes { kind } } } } } } }`,
      { id: document.id },
    );
    const [third, second] = body.data.resourceHubDocument.versions.nodes;
    expect(second).toMatchObject({
      titleChanged: true,
      contentChanged: false,
      diffToPrevious: { isFormattingOnly: false },
    });
    expect(third).toMatchObject({
      titleChanged: true,
      contentChanged: true,
      diffToPrevious: { isFormattingOnly: true },
    });
  });
});

const lower = (changes: Json[]) => changes.map(({ kind, text }) => ({ kind: kind.toLowerCase(), text }));
