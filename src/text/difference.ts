import { diffArrays } from 'diff';
import { isEqual, type Notation, type Reading } from './reading.js';
import { firstEndingBehind, keyOf, tokensOf } from './tokens.js';

export interface Change {
  kind: 'unchanged' | 'removed' | 'added';
  text: string;
}

/** The unchanged and removed parts make up the text before, the unchanged and added parts the text after. */
export interface Difference {
  granularity: 'word' | 'line' | 'text';
  changes: Change[];
}

type Span = [from: number, to: number];

/** What an equal stretch or a change is of: from where to where in the text before, and in the text after. */
interface Stretch {
  isEqual: boolean;
  before: Span;
  after: Span;
}

/** Equal items of two sequences: where they begin in each, and how many they are. */
type Match = [before: number, after: number, count: number];

const mostEdits = 300;
/** A difference of more pieces than this is of whole texts: nobody reads it. */
const mostPieces = 10_000;

/**
 * Compares two texts word by word; line by line or as a whole where they differ so much that it would go on beyond the
 * deadline, on the clock of `performance.now()`.
 */
export function comparison(before: Reading, after: Reading, deadline: number): Difference {
  if (isEqual(before, after)) return { granularity: 'word', changes: changesOf(before.text, after.text, [], 0) };
  const [oldLength, newLength] = [before.text.length, after.text.length];
  const start = lineStart(before.text, commonStart(before, after, [0, oldLength], [0, newLength]));
  const alike = commonEnd(before, after, [start, oldLength], [start, newLength]);
  const line = before.text.indexOf('\n', oldLength - alike);
  const end = line < 0 ? 0 : oldLength - line - 1;
  const [oldEnd, newEnd] = [oldLength - end, newLength - end];
  const old = linesOf(before, start, oldEnd);
  const now = linesOf(after, start, newEnd);
  const byLine = aligned(old.keys, now.keys, deadline);
  let granularity: Difference['granularity'] = byLine.isWhole ? 'word' : 'text';
  const stretches: Stretch[] = [];
  for (const { isEqual, before: lines, after: others } of between(byLine.matches, old.keys.length, now.keys.length)) {
    const stretch: Stretch = {
      isEqual,
      before: [old.starts[lines[0]] ?? oldEnd, old.starts[lines[1]] ?? oldEnd],
      after: [now.starts[others[0]] ?? newEnd, now.starts[others[1]] ?? newEnd],
    };
    if (isSame(before.text, after.text, stretch)) stretches.push(stretch);
    else {
      const found = wordByWord(before, after, stretch, deadline);
      if (!found && granularity === 'word') granularity = 'line';
      stretches.push(...(found ?? [{ ...stretch, isEqual: false }]));
    }
  }
  const changes = changesOf(before.text, after.text, stretches, start);
  return changes.length > mostPieces ? replaced(before.text, after.text) : { granularity, changes };
}

/** The difference of two texts that are not compared. */
export function replaced(before: string, after: string): Difference {
  const changes: Change[] = [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ];
  return { granularity: 'text', changes: changes.filter(({ text }) => text !== '') };
}

const isSame = (before: string, after: string, { isEqual, before: [from, to], after: [start, end] }: Stretch) =>
  isEqual && to - from === end - start && before.slice(from, to) === after.slice(start, end);

/** The words of a stretch that are equal, and those that are not; null if finding them would take too long. */
function wordByWord(
  before: Reading,
  after: Reading,
  { before: [from, to], after: [start, end] }: Stretch,
  deadline: number,
): Stretch[] | null {
  const place = Math.max(from + commonStart(before, after, [from, to], [start, end]) - 1, from);
  const head = (wordStart(before.text, place, from) ?? from) - from;
  const rest = Math.min(to - commonEnd(before, after, [from + head, to], [start + head, end]) + 1, to);
  const tail = to - (wordStart(before.text, rest, to) ?? to);
  const [oldSpan, newSpan]: [Span, Span] = [
    [from + head, to - tail],
    [start + head, end - tail],
  ];
  const old = tokensOf(before, oldSpan, deadline);
  const now = old && tokensOf(after, newSpan, deadline);
  if (!old || !now) return null;
  const { matches, isWhole } = aligned(old.keys, now.keys, deadline);
  if (!isWhole) return null;
  const oldPlace = (n: number) => (n === 0 ? oldSpan[0] : (old.ends[n - 1] ?? oldSpan[1]));
  const newPlace = (n: number) => (n === 0 ? newSpan[0] : (now.ends[n - 1] ?? newSpan[1]));
  const stretches: Stretch[] = [{ isEqual: true, before: [from, oldSpan[0]], after: [start, newSpan[0]] }];
  for (const { isEqual, before: words, after: others } of between(matches, old.keys.length, now.keys.length)) {
    const stretch = (word: Span, other: Span): Stretch => ({
      isEqual,
      before: [oldPlace(word[0]), oldPlace(word[1])],
      after: [newPlace(other[0]), newPlace(other[1])],
    });
    const whole = stretch(words, others);
    if (!isEqual || isSame(before.text, after.text, whole)) stretches.push(whole);
    // Words may be equal in another spelling, or with another end of the line: that is shown.
    else
      for (let n = 0; n < words[1] - words[0]; n++) {
        const word = stretch([words[0] + n, words[0] + n + 1], [others[0] + n, others[0] + n + 1]);
        stretches.push({ ...word, isEqual: isSame(before.text, after.text, word) });
      }
  }
  stretches.push({ isEqual: true, before: [oldSpan[1], to], after: [newSpan[1], end] });
  return stretches;
}

/** How many characters two stretches begin with alike, up to the first notation that differs. */
function commonStart(one: Reading, other: Reading, [from, to]: Span, [start, end]: Span): number {
  const most = Math.min(to - from, end - start);
  let count = 0;
  while (count < most && one.text.charCodeAt(from + count) === other.text.charCodeAt(start + count)) count++;
  let [n, m] = [firstEndingBehind(one.notations, from), firstEndingBehind(other.notations, start)];
  for (; ; n++, m++) {
    const [its, others] = [one.notations[n], other.notations[m]];
    const first = Math.min((its?.start ?? to) - from, (others?.start ?? end) - start);
    if (first >= count) return count;
    if (!its || !others || !isAlike(its, from, others, start) || its.end - from > count) return first;
  }
}

/** How many characters two stretches end with alike, down to the last notation that differs. */
function commonEnd(one: Reading, other: Reading, [from, to]: Span, [start, end]: Span): number {
  const most = Math.min(to - from, end - start);
  let count = 0;
  while (count < most && one.text.charCodeAt(to - 1 - count) === other.text.charCodeAt(end - 1 - count)) count++;
  let [n, m] = [firstEndingBehind(one.notations, to - 1), firstEndingBehind(other.notations, end - 1)];
  if ((one.notations[n]?.start ?? to) >= to) n--;
  if ((other.notations[m]?.start ?? end) >= end) m--;
  for (; ; n--, m--) {
    const [its, others] = [one.notations[n], other.notations[m]];
    const last = Math.min(to - (its?.end ?? from), end - (others?.end ?? start));
    if (last >= count) return count;
    if (!its || !others || !isAlike(its, to, others, end) || to - its.start > count) return last;
  }
}

const isAlike = (one: Notation, from: number, other: Notation, start: number) =>
  one.start - from === other.start - start && one.end - from === other.end - start && one.about === other.about;

const lineStart = (text: string, place: number) => (place === 0 ? 0 : text.lastIndexOf('\n', place - 1) + 1);

const beginsWord = /^[^\s\p{M}\u200d]/u;
const farthest = 500;

/** The nearest place on the way to a limit where a word begins behind a space; null if there is none nearby. */
function wordStart(text: string, place: number, limit: number): number | null {
  const step = Math.sign(limit - place);
  for (let at = place; at !== limit && Math.abs(at - place) < farthest; at += step)
    if (text[at - 1] === ' ' && beginsWord.test(text.slice(at, at + 2))) return at;
  return null;
}

/** The lines of a stretch, each with what it equals: its text, and the notations in it. */
function linesOf({ text, notations }: Reading, from: number, to: number): { starts: number[]; keys: string[] } {
  const starts: number[] = [];
  const keys: string[] = [];
  let next = firstEndingBehind(notations, from);
  for (let at = from; at < to; ) {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 || feed >= to ? to : feed + 1;
    let key = keyOf(text.slice(at, end));
    for (let notation = notations[next]; notation && notation.start < end; notation = notations[++next])
      key += `\0${notation.start - at},${notation.end - at},${notation.about ?? ''}`;
    starts.push(at);
    keys.push(key);
    at = end;
  }
  return { starts, keys };
}

/**
 * The items that two sequences have in common, in order: the most that there are while few differ; else those between
 * the items that both have once. Not whole if some could not be compared.
 */
function aligned(before: string[], after: string[], deadline: number): { matches: Match[]; isWhole: boolean } {
  const numbers = new Map<string, number>();
  const old = numbered(before, numbers);
  const now = numbered(after, numbers);
  const matches: Match[] = [];
  let isWhole = true;
  // The stretches that are left to be compared, the next one last.
  const open: [number, number, number, number][] = [[0, old.length, 0, now.length]];
  for (let stretch = open.pop(); stretch; stretch = open.pop()) {
    let [from, to, start, end] = stretch;
    while (from < to && start < end && old[from] === now[start]) matches.push([from++, start++, 1]);
    while (from < to && start < end && old[to - 1] === now[end - 1]) matches.push([--to, --end, 1]);
    if (from === to || start === end) continue;
    if (performance.now() > deadline) {
      isWhole = false;
      continue;
    }
    const most = Math.min(mostEdits, to - from + end - start);
    const timeout = deadline - performance.now();
    const found = diffArrays(old.slice(from, to), now.slice(start, end), { maxEditLength: most, timeout });
    if (found) {
      for (const { added, removed, count } of found) {
        if (!added && !removed) matches.push([from, start, count]);
        if (!added) from += count;
        if (!removed) start += count;
      }
      continue;
    }
    const anchors = inBothOnce(old, now, [from, to, start, end]);
    if (anchors.length === 0) isWhole = false;
    for (const [one, other] of anchors) {
      matches.push([one, other, 1]);
      open.push([from, one, start, other]);
      [from, start] = [one + 1, other + 1];
    }
    if (anchors.length > 0) open.push([from, to, start, end]);
  }
  return { matches: matches.sort(([one], [other]) => one - other), isWhole };
}

/** A number for each item, the same for equal ones. */
function numbered(keys: string[], numbers: Map<string, number>): number[] {
  const found: number[] = [];
  for (const key of keys) {
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    found.push(number);
  }
  return found;
}

/** The items that both stretches have exactly once, as many as are in the same order in both (patience sorting). */
function inBothOnce(old: number[], now: number[], [from, to, start, end]: [number, number, number, number]): Match[] {
  const places = new Map<number, { before: number; after: number }>();
  const note = (item: number, side: 'before' | 'after', place: number) => {
    const known = places.get(item) ?? { before: -1, after: -1 };
    known[side] = known[side] === -1 ? place : -2;
    places.set(item, known);
  };
  for (let n = from; n < to; n++) note(old[n] ?? -1, 'before', n);
  for (let n = start; n < end; n++) note(now[n] ?? -1, 'after', n);
  interface Pair {
    before: number;
    after: number;
    previous: Pair | undefined;
  }
  const piles: Pair[] = [];
  for (const { before, after } of places.values()) {
    if (before < 0 || after < 0) continue;
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((piles[middle]?.after ?? 0) < after) low = middle + 1;
      else high = middle;
    }
    piles[low] = { before, after, previous: piles[low - 1] };
  }
  const found: Match[] = [];
  for (let pair = piles.at(-1); pair; pair = pair.previous) found.push([pair.before, pair.after, 1]);
  return found.reverse();
}

/** The matches with what is between them, neighbours made one. */
function between(matches: Match[], oldLength: number, newLength: number): Stretch[] {
  const stretches: Stretch[] = [];
  let [one, other] = [0, 0];
  for (const [before, after, count] of [...matches, [oldLength, newLength, 0] as Match]) {
    if (before > one || after > other) stretches.push({ isEqual: false, before: [one, before], after: [other, after] });
    [one, other] = [before + count, after + count];
    const last = stretches.at(-1);
    if (count > 0 && last?.isEqual) [last.before[1], last.after[1]] = [one, other];
    else if (count > 0) stretches.push({ isEqual: true, before: [before, one], after: [after, other] });
  }
  return stretches;
}

/** A change, or an unchanged text between changes. */
interface Part {
  unchanged: string;
  removed: string;
  added: string;
}

const longestGap = 40;

/** What is between two changes and too short to be read apart from them: a sentence that was written anew is one change. */
function isConfetti(gap: string, one: Part, other: Part): boolean {
  const size = ({ removed, added }: Part) => Math.max(removed.length, added.length);
  if (gap.includes('\n') || gap.length > Math.min(size(one), size(other), longestGap)) return false;
  const replaces = Boolean((one.removed || other.removed) && (one.added || other.added));
  return replaces || !/[\p{L}\p{N}]/u.test(gap);
}

function changesOf(before: string, after: string, stretches: readonly Stretch[], start: number): Change[] {
  const parts: Part[] = [];
  const unchanged = (text: string) => {
    const last = parts.at(-1);
    if (text !== '' && last?.unchanged) last.unchanged += text;
    else if (text !== '') parts.push({ unchanged: text, removed: '', added: '' });
  };
  unchanged(before.slice(0, start));
  let end = start;
  for (const stretch of stretches) {
    end = stretch.before[1];
    if (stretch.isEqual) {
      unchanged(before.slice(...stretch.before));
      continue;
    }
    const change = { unchanged: '', removed: before.slice(...stretch.before), added: after.slice(...stretch.after) };
    for (let last = parts.at(-1); last; last = parts.at(-1)) {
      const earlier = parts.at(-2);
      const joins =
        !last.unchanged || (earlier !== undefined && !earlier.unchanged && isConfetti(last.unchanged, earlier, change));
      if (!joins) break;
      parts.pop();
      change.removed = last.unchanged + last.removed + change.removed;
      change.added = last.unchanged + last.added + change.added;
    }
    parts.push(change);
  }
  unchanged(before.slice(end));
  return parts.flatMap((part): Change[] =>
    (['unchanged', 'removed', 'added'] as const).flatMap((kind) => (part[kind] ? [{ kind, text: part[kind] }] : [])),
  );
}
