import { diffArrays } from 'diff';
import { isEqual, type Reading } from './reading.js';
import { firstEndingBehind, keyOf, tokensOf } from './words.js';

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

/** More edits than this take too much memory to find. */
const mostEdits = 2_000;
/** A difference of more pieces than this is of whole texts: nobody reads it. */
const mostPieces = 20_000;

/** Compares word by word; line by line or as a whole where that would go on beyond the deadline of `performance.now()`. */
export function comparison(before: Reading, after: Reading, deadline: number): Difference {
  if (isEqual(before, after)) return { granularity: 'word', changes: changesOf(before.text, after.text, []) };
  const [oldLength, newLength] = [before.text.length, after.text.length];
  // What both begin and end with, in whole lines, is not looked at: most changes of a long text are in few places.
  const alike = commonStart(before, after, [0, oldLength], [0, newLength]);
  const start = alike === 0 ? 0 : before.text.lastIndexOf('\n', alike - 1) + 1;
  const line = before.text.indexOf('\n', oldLength - commonEnd(before, after, [start, oldLength], [start, newLength]));
  const end = line < 0 ? 0 : oldLength - line - 1;
  const old = linesOf(before, start, oldLength - end);
  const now = linesOf(after, start, newLength - end);
  const matches = aligned(old.keys, now.keys, deadline);
  if (!matches) return replaced(before.text, after.text);
  let granularity: Difference['granularity'] = 'word';
  const stretches: Stretch[] = [{ isEqual: true, before: [0, start], after: [0, start] }];
  for (const { isEqual, before: lines, after: others } of between(matches, old.keys.length, now.keys.length)) {
    const stretch: Stretch = {
      isEqual,
      before: [old.starts[lines[0]] ?? oldLength - end, old.starts[lines[1]] ?? oldLength - end],
      after: [now.starts[others[0]] ?? newLength - end, now.starts[others[1]] ?? newLength - end],
    };
    const found = isSame(before.text, after.text, stretch) ? [stretch] : wordByWord(before, after, stretch, deadline);
    if (!found) granularity = 'line';
    stretches.push(...(found ?? [{ ...stretch, isEqual: false }]));
  }
  const changes = changesOf(before.text, after.text, stretches);
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
  const matches = aligned(old.keys, now.keys, deadline);
  if (!matches) return null;
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

/** How many characters two stretches begin with alike, before the first notation. */
function commonStart(one: Reading, other: Reading, [from, to]: Span, [start, end]: Span): number {
  const [its, others] = [firstEndingBehind(one.notations, from), firstEndingBehind(other.notations, start)];
  const most = Math.min(
    Math.min(to, one.notations[its]?.start ?? to) - from,
    Math.min(end, other.notations[others]?.start ?? end) - start,
  );
  let count = 0;
  while (count < most && one.text.charCodeAt(from + count) === other.text.charCodeAt(start + count)) count++;
  return Math.max(count, 0);
}

/** How many characters two stretches end with alike, behind the last notation. */
function commonEnd(one: Reading, other: Reading, [from, to]: Span, [start, end]: Span): number {
  const behind = ({ notations }: Reading, first: number, last: number) => {
    const before = notations[firstEndingBehind(notations, last) - 1]?.end ?? first;
    const within = notations[firstEndingBehind(notations, last)];
    return within && within.start < last ? 0 : last - Math.max(first, before);
  };
  const most = Math.min(behind(one, from, to), behind(other, start, end));
  let count = 0;
  while (count < most && one.text.charCodeAt(to - 1 - count) === other.text.charCodeAt(end - 1 - count)) count++;
  return count;
}

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

/** The items that two sequences have in common, in order; null if they cannot be found in time. */
function aligned(before: string[], after: string[], deadline: number): Match[] | null {
  const numbers = new Map<string, number>();
  const numbered = (keys: string[]) =>
    keys.map((key) => {
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    });
  const timeout = Math.max(deadline - performance.now(), 0);
  const found = diffArrays(numbered(before), numbered(after), { maxEditLength: mostEdits, timeout });
  if (!found) return null;
  const matches: Match[] = [];
  let [one, other] = [0, 0];
  for (const { added, removed, count } of found) {
    if (!added && !removed) matches.push([one, other, count]);
    if (!added) one += count;
    if (!removed) other += count;
  }
  return matches;
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

function changesOf(before: string, after: string, stretches: readonly Stretch[]): Change[] {
  const parts: Part[] = [];
  const unchanged = (text: string) => {
    const last = parts.at(-1);
    if (text !== '' && last?.unchanged) last.unchanged += text;
    else if (text !== '') parts.push({ unchanged: text, removed: '', added: '' });
  };
  let end = 0;
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
