import { type Change, comparison, type Difference } from './difference.js';
import { type Excerpt, elided, excerptOf, pageOf, type TextPage } from './excerpts.js';
import { asTyped, type Reading, readingOf } from './reading.js';

/** Two texts to be compared. */
export interface TextPair {
  before: string;
  after: string;
  /** Whether they may be rich text; titles are not. */
  isContent: boolean;
}

/** What has been made last, as a request asks several things of the same texts. */
const readings = new Map<string, Reading>();
let last: (TextPair & { difference: Difference }) | undefined;

function readingOnce(text: string): Reading {
  const known = readings.get(text);
  if (known) return known;
  for (const oldest of [...readings.keys()].slice(0, -1)) readings.delete(oldest);
  const reading = readingOf(text);
  readings.set(text, reading);
  return reading;
}

function difference({ before, after, isContent }: TextPair, deadline: number): Difference {
  if (last?.before === before && last.after === after && last.isContent === isContent) return last.difference;
  last = undefined;
  const read = isContent ? readingOnce : asTyped;
  last = { before, after, isContent, difference: comparison(read(before), read(after), deadline) };
  return last.difference;
}

/** What the thread for texts does. A deadline is of the thread's clock, and what cannot keep it takes longer. */
export const textFunctions = {
  difference: (deadline: number, pair: TextPair): Difference => difference(pair, deadline),
  /** The same with so many words around each change. */
  around: (deadline: number, pair: TextPair, words: number): Change[] =>
    elided(difference(pair, deadline).changes, words),
  /** The beginning of that. */
  excerpt: (deadline: number, pair: TextPair, words: number, weight: number): Excerpt =>
    excerptOf(elided(difference(pair, deadline).changes, words), weight),
  /** A page of a text as people read it. */
  page: (_deadline: number, text: string, number: number): TextPage => pageOf(readingOnce(text).text, number),
};
