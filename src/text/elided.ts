import type { Change } from './difference.js';

/** More characters than this are no words of context, even if no space is among them. */
const longestWord = 30;

/** The changes, with at most so many words of the unchanged text before and behind each. */
export function elided(changes: readonly Change[], words: number): Change[] {
  return changes.map((change, n) => {
    if (change.kind !== 'unchanged') return change;
    const head = n === 0 ? '' : firstWords(change.text, words);
    const tail = n === changes.length - 1 ? '' : lastWords(change.text, words);
    if (head.length + tail.length + 1 >= change.text.length) return change;
    return { kind: 'unchanged', text: `${head}…${tail}` };
  });
}

const wordsIn = (text: string) => text.match(/\s*\S+\s*/g) ?? [];

const firstWords = (text: string, words: number) =>
  whole(
    wordsIn(text.slice(0, words * longestWord))
      .slice(0, words)
      .join(''),
  );

const lastWords = (text: string, words: number) =>
  words === 0
    ? ''
    : whole(
        wordsIn(text.slice(-words * longestWord))
          .slice(-words)
          .join(''),
      );

/** Without half of a character at either end. */
const whole = (text: string) => text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
