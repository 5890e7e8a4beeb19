import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Change, comparison } from '../../../src/text/difference.js';
import { asTyped, isEqual, readingOf } from '../../../src/text/reading.js';
import { seedOf } from '../../support/seedOf.js';
import type { Json } from '../../support/world.js';

const seed = seedOf('DIFFERENCES_SEED');
const runs = 100_000;

const word = fc.constantFrom(
  'plan',
  'Plan',
  'Café',
  'Cafe\u0301',
  'открываем',
  'שלום',
  '봄에',
  '会议记录',
  '👨‍👩‍👧',
  '👍🏽',
  '1,000.5',
  'don’t',
  '[x]',
  '- ',
);
const text = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const token = fc.constantFrom(
  'a',
  'b',
  'https://bank.example/a',
  'https://evil.example/a',
  'x^2',
  '1767225600000',
  ' ',
);

/** What a reader would care about in each node, and what is only looks: one attribute for each. */
const nodes: [type: string, attribute: string, looks: string][] = [
  ['mention', 'id', 'class'],
  ['image', 'src', 'width'],
  ['blob', 'id', 'progress'],
  ['inlineMath', 'latex', 'id'],
  ['block_math', 'latex', 'class'],
  ['emoji', 'name', 'class'],
  ['video', 'src', 'width'],
  ['youtube', 'src', 'height'],
  ['poll', 'question', ''],
];
const atom = fc.tuple(fc.constantFrom(...nodes), token, token).map(([[type, attribute, looks], about, look]) => ({
  type,
  attrs: { [attribute]: about, ...(looks && { [looks]: look }) },
}));
const marks = fc.array(
  fc.oneof(
    fc.constantFrom('bold', 'code', 'highlight', 'strike').map((type) => ({ type })),
    token.map((href) => ({ type: 'link', attrs: { href, target: '_blank' } })),
    token.map((color) => ({ type: 'textStyle', attrs: { color } })),
    token.map((id) => ({ type: 'promise', attrs: { id } })),
  ),
  { maxLength: 2 },
);
const around = fc
  .tuple(token, text)
  .map(([href, words]) => ({ type: 'link', href, content: [{ type: 'text', text: words }] }));
const leaf = fc.oneof(
  fc.record({ type: fc.constant('text'), text, marks }),
  fc.record({ type: fc.constant('text'), text, marks }),
  atom,
  around,
);
const { block } = fc.letrec<{ block: Json }>((tie) => {
  const inline = fc.array(leaf, { minLength: 1, maxLength: 3 });
  const blocks = fc.array(tie('block'), { minLength: 1, maxLength: 2 });
  return {
    block: fc.oneof(
      { maxDepth: 3 },
      inline.map((content) => ({ type: 'paragraph', content })),
      inline.map((content) => ({ type: 'codeBlock', content })),
      fc
        .tuple(fc.integer({ min: 1, max: 6 }), inline)
        .map(([level, content]) => ({ type: 'heading', attrs: { level }, content })),
      fc.tuple(fc.boolean(), blocks).map(([checked, content]) => ({ type: 'taskItem', attrs: { checked }, content })),
      fc
        .tuple(fc.constantFrom('bulletList', 'orderedList', 'blockquote', 'callout', 'table'), blocks)
        .map(([type, content]) => ({ type, content: content.map((item) => ({ type: 'listItem', content: [item] })) })),
    ),
  };
});
const document = fc.array(block, { minLength: 1, maxLength: 4 }).map((content) => ({ type: 'doc', content }));

/** The places of a document where something can be changed: what a reader would care about, and looks. */
function placesOf(root: Json, aim: 'content' | 'looks'): (() => void)[] {
  const places: (() => void)[] = [];
  const visit = (node: Json) => {
    const kind = nodes.find(([type]) => type === node.type);
    const name = kind?.[aim === 'content' ? 1 : 2];
    if (name) places.push(() => (node.attrs[name] = `${node.attrs[name]}!`));
    if (aim === 'content' && node.type === 'text') places.push(() => (node.text += '!'));
    if (aim === 'content' && node.type === 'link') places.push(() => (node.href += '!'));
    if (aim === 'content' && node.type === 'taskItem') places.push(() => (node.attrs.checked = !node.attrs.checked));
    if (aim === 'content' && node.type === 'heading')
      places.push(() => (node.attrs.level = (node.attrs.level % 6) + 1));
    if (aim === 'looks' && node.type === 'paragraph') places.push(() => (node.attrs = { textAlign: 'right' }));
    if (aim === 'looks' && node.type === 'text')
      places.push(() => (node.marks = [{ type: 'italic' }, ...(node.marks ?? [])]));
    for (const mark of node.marks ?? []) {
      if (aim === 'content' && mark.type === 'link') places.push(() => (mark.attrs.href += '!'));
      if (aim === 'content' && mark.type === 'promise') places.push(() => (mark.attrs.id += '!'));
      if (aim === 'looks' && mark.type === 'textStyle') places.push(() => (mark.attrs.color += '!'));
    }
    // A node that is not known is its JSON, looks included.
    if (aim === 'looks' && ['link', 'callout'].includes(node.type)) return;
    for (const child of node.content ?? []) visit(child);
  };
  visit(root);
  return places;
}

const read = (root: Json) => readingOf(JSON.stringify(root));
const joined = (changes: Change[], but: Change['kind']) =>
  changes.flatMap(({ kind, text }) => (kind === but ? [] : text)).join('');
const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });
const isInWord = (text: string, place: number) =>
  /[\p{L}\p{M}\p{N}]$/u.test(text.slice(0, place)) &&
  /^[\p{L}\p{M}\p{N}]/u.test(text.slice(place)) &&
  // The words of Chinese have nothing between them.
  !/^\p{Script=Han}/u.test(text.slice(place));

/** No piece of either text begins within a word or a character. */
function expectWholeWords(changes: Change[], but: Change['kind']) {
  const whole = joined(changes, but);
  const starts = new Set([...clusters.segment(whole)].map(({ index }) => index));
  let place = 0;
  for (const { kind, text } of changes) {
    if (kind === but) continue;
    if (place > 0) {
      expect(isInWord(whole, place), `${JSON.stringify(whole)} at ${place}`).toBe(false);
      expect(starts.has(place), `${JSON.stringify(whole)} at ${place}`).toBe(true);
    }
    place += text.length;
  }
}

test(`what differs beyond formatting is shown: ${runs} documents`, () => {
  fc.assert(
    fc.property(document, fc.boolean(), fc.nat(), (before, isContent, place) => {
      const after = structuredClone(before);
      const places = placesOf(after, isContent ? 'content' : 'looks');
      fc.pre(places.length > 0);
      places[place % places.length]?.();
      const [one, other] = [read(before), read(after)];
      const { changes } = comparison(one, other, Number.POSITIVE_INFINITY);
      expect(isEqual(one, other)).toBe(!isContent);
      expect(changes.some(({ kind }) => kind !== 'unchanged')).toBe(isContent);
      expect(joined(changes, 'added')).toBe(one.text);
      expect(joined(changes, 'removed')).toBe(other.text);
    }),
    { seed, numRuns: runs },
  );
}, 600_000);

test('both texts follow from the pieces, and no piece begins within a word', () => {
  const line = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
  const lines = fc.array(line, { maxLength: 6 }).map((all) => all.join('\n'));
  const any = fc.oneof(lines, lines, fc.string({ unit: 'grapheme', maxLength: 40 }));
  fc.assert(
    fc.property(any, any, (before, after) => {
      const { changes } = comparison(asTyped(before), asTyped(after), Number.POSITIVE_INFINITY);
      expect(joined(changes, 'added')).toBe(before);
      expect(joined(changes, 'removed')).toBe(after);
      expectWholeWords(changes, 'added');
      expectWholeWords(changes, 'removed');
    }),
    { seed, numRuns: runs / 5 },
  );
}, 600_000);
