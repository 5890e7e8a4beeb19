import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Change, comparison, Effort } from '../../../src/text/difference.js';
import { asTyped, inOnePiece } from '../../../src/text/reading.js';
import { seedOf } from '../../support/seedOf.js';

const seed = seedOf('DIFFERENCES_SEED');
const runs = 20_000;

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

test('both texts follow from the pieces, and no piece begins within a word', () => {
  const line = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
  const lines = fc.array(line, { maxLength: 6 }).map((all) => all.join('\n'));
  const any = fc.oneof(lines, lines, fc.string({ unit: 'grapheme', maxLength: 40 }));
  fc.assert(
    fc.property(any, any, (before, after) => {
      const { changes } = inOnePiece(comparison(asTyped(before), asTyped(after), new Effort()));
      expect(joined(changes, 'added')).toBe(before);
      expect(joined(changes, 'removed')).toBe(after);
      expectWholeWords(changes, 'added');
      expectWholeWords(changes, 'removed');
    }),
    { seed, numRuns: runs },
  );
}, 600_000);
