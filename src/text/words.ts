import type { Notation, Reading } from './reading.js';

/** A stretch of a reading as words, spaces, line ends and notations, each with where it ends and what it equals. */
export interface Tokens {
  ends: number[];
  keys: string[];
}

const words = new Intl.Segmenter('en', { granularity: 'word' });

const runs = /\r\n|\r|\n|[^\S\r\n]+|\S+/g;
const ascii = /^[\x21-\x7e]+$/;
/** The words of a run of ASCII as `Intl.Segmenter` finds them, which takes a hundred times as long. */
const asciiWords = /[A-Za-z0-9_]+(?:(?:['.]|(?<=\d),(?=\d))[A-Za-z0-9_]+)*|[\s\S]/g;
const isSpace = /^\s/;
/** Marks at the beginning of a run belong to the character before it. */
const joinsWhatPrecedes = /^[\p{M}\u200d]+/u;
const lineEnd = /[\r\n]$/;

/** `Intl.Segmenter` takes longer for each word of a longer text. */
const longestRun = 1024;

const isPlain = /^[\x20-\x7e]*\n?$/;

/** What a word or a line equals: another spelling of the same letters and spaces is the same word. */
export function keyOf(text: string): string {
  if (isPlain.test(text)) return text;
  // Composing takes time by the square of a text of nothing but marks. Words of a longer line are compared one by one.
  const composed = text.length > longestRun ? text : text.normalize('NFC');
  return composed.replace(/\r?\n$/, '\n').replace(/[^\S\n]/g, ' ');
}

/** Splits a stretch of a reading into tokens; null if that would go on beyond the deadline. */
export function tokensOf(
  { text, notations }: Reading,
  [from, to]: readonly [number, number],
  deadline: number,
): Tokens | null {
  const tokens: Tokens = { ends: [], keys: [] };
  let at = from;
  for (let n = firstEndingBehind(notations, from); at < to; n++) {
    const notation = notations[n];
    const end = Math.min(notation?.start ?? to, to);
    if (at < end && !addText(tokens, text.slice(at, end), at, deadline)) return null;
    if (!notation || notation.start >= to) break;
    at = Math.min(notation.end, to);
    add(tokens, at, `\0${notation.about ?? text.slice(notation.start, notation.end)}`);
  }
  return tokens;
}

function add({ ends, keys }: Tokens, end: number, key: string) {
  ends.push(end);
  keys.push(key);
}

/** The index of the first notation that ends behind a place. */
export function firstEndingBehind(notations: readonly Notation[], place: number): number {
  let [low, high] = [0, notations.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((notations[middle]?.end ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

function addText(tokens: Tokens, text: string, start: number, deadline: number): boolean {
  let count = 0;
  for (const { 0: run, index } of text.matchAll(runs)) {
    if (++count % 1_000 === 0 && performance.now() > deadline) return false;
    const at = start + index;
    if (isSpace.test(run)) add(tokens, at + run.length, lineEnd.test(run) ? '\n' : run.replace(/\s/g, ' '));
    else if (ascii.test(run))
      for (const word of run.matchAll(asciiWords)) add(tokens, at + word.index + word[0].length, word[0]);
    else {
      const joined = joinsWhatPrecedes.exec(run)?.[0].length ?? 0;
      const precedes = tokens.keys.at(-1);
      if (joined > 0 && precedes && precedes !== '\n') {
        tokens.keys.splice(-1, 1, precedes + keyOf(run.slice(0, joined)));
        tokens.ends.splice(-1, 1, at + joined);
        if (!addWords(tokens, run.slice(joined), at + joined, deadline)) return false;
      } else if (!addWords(tokens, run, at, deadline)) return false;
    }
  }
  return true;
}

function addWords(tokens: Tokens, run: string, start: number, deadline: number): boolean {
  for (let at = 0; at < run.length; ) {
    if (performance.now() > deadline) return false;
    const part = run.slice(at, at + longestRun);
    const isLast = at + part.length === run.length;
    let last = 0;
    for (const { segment, index } of words.segment(part)) {
      // The last word of a part may go on in the next one, which begins with it.
      if (!isLast && index > 0 && index + segment.length === part.length) break;
      last = index + segment.length;
      add(tokens, start + at + last, keyOf(segment));
    }
    at += last;
  }
  return true;
}
