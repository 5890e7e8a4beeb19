import { type Change, comparison, type Difference } from './difference.js';
import { type Excerpt, elided, excerptOf, pageOf, type TextPage } from './excerpts.js';
import { asTyped, type Reading, readingOf } from './reading.js';
import { mentionedIn } from './richText.js';

/** Two texts to be compared. */
export interface TextPair {
  before: string;
  after: string;
  /** Whether they may be rich text; titles are not. */
  isContent: boolean;
}

/** What has been read last, as a request asks several things of the same texts. */
const readings = new Map<string, Reading>();

function readingOnce(text: string): Reading {
  const known = readings.get(text);
  if (known) return known;
  for (const oldest of [...readings.keys()].slice(0, -1)) readings.delete(oldest);
  const reading = readingOf(text);
  readings.set(text, reading);
  return reading;
}

/** What the thread for texts does. A deadline is of the thread's clock, and what cannot keep it takes longer. */
export const textFunctions = {
  difference: (deadline: number, { before, after, isContent }: TextPair): Difference => {
    const read = isContent ? readingOnce : asTyped;
    return comparison(read(before), read(after), deadline);
  },
  /** Its changes with so many words around each. */
  around: (_deadline: number, changes: readonly Change[], words: number): Change[] => elided(changes, words),
  /** The beginning of that. */
  excerpt: (_deadline: number, changes: readonly Change[], words: number, weight: number): Excerpt =>
    excerptOf(elided(changes, words), weight),
  /** Whom a text mentions. All of the heap is for that, as the largest text needs most of it. */
  mentioned: (_deadline: number, text: string): string[] => {
    readings.clear();
    return mentionedIn(text);
  },
  /** A page of a text as people read it. */
  page: (_deadline: number, text: string, number: number): TextPage => pageOf(readingOnce(text).text, number),
};
