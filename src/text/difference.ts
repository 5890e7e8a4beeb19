import { type ChangeObject, diffLines, diffWordsWithSpace } from 'diff';

export interface Change {
  kind: 'unchanged' | 'removed' | 'added';
  text: string;
}

/** The unchanged and removed parts make up the text before, the unchanged and added parts the text after. */
export interface Difference {
  granularity: 'word' | 'line' | 'text';
  changes: Change[];
}

/** The work that one request may spend on comparing. Once it is spent, texts are compared more coarsely. */
export class Effort {
  remaining = 1_000_000;
}

type Compare = (before: string, after: string, maxEditLength: number) => ChangeObject<string>[] | undefined;

const byWord: Compare = (before, after, maxEditLength) => diffWordsWithSpace(before, after, { maxEditLength });
const byLine: Compare = (before, after, maxEditLength) => diffLines(before, after, { maxEditLength });

const steps = [
  { granularity: 'word', compare: byWord, characters: 40_000, edits: 300 },
  { granularity: 'line', compare: byLine, characters: 400_000, edits: 500 },
] as const;

/** Compares two texts as finely as their size and the remaining effort allow: by word, by line, or as a whole. */
export function difference(before: string, after: string, effort = new Effort()): Difference {
  if (before === after) return { granularity: 'word', changes: merge([['unchanged', before]]) };
  const [start, end] = commonLines(before, after);
  const oldPart = before.slice(start.length, before.length - end.length);
  const newPart = after.slice(start.length, after.length - end.length);
  for (const { granularity, compare, characters, edits } of steps) {
    if (oldPart.length + newPart.length > characters || effort.remaining <= 0) continue;
    const found = compare(oldPart, newPart, edits);
    effort.remaining -= oldPart.length + newPart.length + (found ? editsIn(found) : edits) ** 2;
    if (!found) continue;
    const parts = found.map(
      ({ added, removed, value }) => [added ? 'added' : removed ? 'removed' : 'unchanged', value] as const,
    );
    return { granularity, changes: merge([['unchanged', start], ...parts, ['unchanged', end]]) };
  }
  return {
    granularity: 'text',
    changes: merge([
      ['unchanged', start],
      ['removed', oldPart],
      ['added', newPart],
      ['unchanged', end],
    ]),
  };
}

/** The lines that both texts share at the start and at the end: most of a long text that was edited. */
function commonLines(before: string, after: string): [string, string] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  start = start === 0 ? 0 : before.lastIndexOf('\n', start - 1) + 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const line = before.indexOf('\n', before.length - end);
  return [before.slice(0, start), line < 0 ? '' : before.slice(line)];
}

const editsIn = (found: ChangeObject<string>[]) =>
  found.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0);

/** Merges neighbouring parts of the same kind and drops empty ones. */
function merge(parts: (readonly [Change['kind'], string])[]): Change[] {
  const merged: Change[] = [];
  for (const [kind, text] of parts) {
    const last = merged.at(-1);
    if (text === '') continue;
    if (last?.kind === kind) last.text += text;
    else merged.push({ kind, text });
  }
  return merged;
}
