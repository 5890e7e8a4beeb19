import type { Change } from './difference.js';

/**
 * How much a text weighs for whoever reads it as JSON: a character counts the bytes that it has in JSON, and those that it
 * has in JSON within JSON, which agents get too. A character of English weighs 2.
 */
const heaviestPage = 20_000;

function weightOf(code: number): number {
  if (code === 0x22 || code === 0x5c) return 6;
  if (code < 0x20) return code === 0x0a || code === 0x09 || code === 0x0d ? 5 : 13;
  if (code < 0x80) return 2;
  if (code < 0x800) return 4;
  return code < 0x10000 ? 6 : 8;
}

/** Where a piece of the text that weighs no more than this ends, never within a character, and what is left of the weight. */
function pieceOf(text: string, start: number, weight: number): { end: number; left: number } {
  let left = weight;
  let end = start;
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0;
    if (weightOf(code) > left) return { end, left: 0 };
    left -= weightOf(code);
    end += code > 0xffff ? 2 : 1;
  }
  return { end, left };
}

/** A part of a long text. */
export interface TextPage {
  text: string;
  /** From 1. */
  number: number;
  count: number;
}

/** A page of a text, empty if it is beyond the last. All pages together are the text; one ends at the end of a line if it can. */
export function pageOf(text: string, number: number): TextPage {
  let count = 0;
  let page = '';
  for (let start = 0; start < text.length || count === 0; ) {
    const { end: limit } = pieceOf(text, start, heaviestPage);
    const line = limit < text.length ? text.slice(start, limit).lastIndexOf('\n') + 1 : 0;
    const end = line > (limit - start) / 2 ? start + line : limit;
    if (++count === number) page = text.slice(start, end);
    start = end;
  }
  return { text: page, number, count };
}

/** About half of an English page; of Chinese it has 15 kB. */
const charactersOfCut = 5_000;

/** The same in no time, whatever the text: pages that end anywhere. */
export function cutPageOf(text: string, number: number): TextPage {
  const count = Math.ceil(text.length / charactersOfCut) || 1;
  const start = (number - 1) * charactersOfCut;
  return { text: text.slice(start, start + charactersOfCut), number, count };
}

/** What a piece weighs besides its text. */
const pieceWeight = 70;

/** The first pieces of a difference. */
export interface Excerpt {
  changes: Change[];
  /** How many removed and added characters are left out. */
  omitted: number;
}

/** As many pieces as weigh no more than this, the last one cut. */
export function excerptOf(changes: readonly Change[], weight: number): Excerpt {
  const shown: Change[] = [];
  let omitted = 0;
  let left = weight;
  for (const { kind, text } of changes) {
    const piece = pieceOf(text, 0, left - pieceWeight);
    if (piece.end > 0) shown.push({ kind, text: text.slice(0, piece.end) });
    if (kind !== 'unchanged') omitted += text.length - piece.end;
    left = piece.left;
  }
  return { changes: shown, omitted };
}

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

function firstWords(text: string, words: number): string {
  const near = text.slice(0, words * longestWord);
  const found = [...near.matchAll(/\S+\s*/g)].slice(0, words);
  const last = found.at(-1);
  return last ? whole(near.slice(0, last.index + last[0].length)) : '';
}

function lastWords(text: string, words: number): string {
  const near = words === 0 ? '' : text.slice(-words * longestWord);
  const found = [...near.matchAll(/\S+/g)];
  if (found.length === 0) return '';
  return whole(found.length > words ? near.slice(found.at(-words)?.index) : near);
}

/** Without half of a character at either end. */
const whole = (text: string) => text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
