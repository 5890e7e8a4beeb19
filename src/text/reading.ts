import { isLink, type Kind, kindOf, type Mark, marksOf, typeOf, wordsOf } from './nodes.js';
import { childrenOf, type RichNode, richText } from './richText.js';

/** A part of a reading that no person has typed: what a node or mark is about, or how it is drawn. */
export interface Notation {
  start: number;
  end: number;
  /** What it stands for, if that is too long to be shown. */
  about?: string;
}

/** A text as people read it, with what else a reader would care about. */
export interface Reading {
  text: string;
  /** In order, not overlapping, never across lines. */
  notations: readonly Notation[];
}

/** Two texts of the same readings say the same. */
export const isEqual = (one: Reading, other: Reading) =>
  one.text === other.text &&
  one.notations.length === other.notations.length &&
  one.notations.every(({ start, end, about }, n) => {
    const its = other.notations[n];
    return its?.start === start && its.end === end && its.about === about;
  });

const longestNotation = 500;
const deepestIndent = 40;

/**
 * Reads a text: a plain text as it is; a rich text with a line for each block, and with the targets of links, the
 * sources of images, the persons of mentions, the states of tasks and all else that is no matter of looks. A node or
 * mark that is not known is its type with its attributes, so that nothing is invisible.
 */
export function* readingOf(text: string): Generator<void, Reading> {
  const root = richText(text);
  return root ? yield* new Reader().read(root) : asTyped(text);
}

/** The reading of a plain text. */
export const asTyped = (text: string): Reading => ({ text, notations: [] });

/** The text of a reading. */
export const plainText = (text: string): string => inOnePiece(readingOf(text)).text;

/** The outcome of work that lets others have their turn, without letting them. */
export function inOnePiece<Outcome>(work: Generator<void, Outcome>): Outcome {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** After so many nodes others may have their turn. */
const manyNodes = 2_000;

type Step = () => void;

/** A mark whose opening has been written. */
type OpenMark = Mark & { notation: number; part: number };

class Reader {
  readonly #parts: string[] = [];
  readonly #notations: Notation[] = [];
  #length = 0;
  /** What the line has so far. */
  #line: 'nothing' | 'marker' | 'words' = 'nothing';
  /** What lines begin with, by the blocks around them. */
  readonly #indents: string[] = [];
  /** The marks that are open, innermost last. */
  readonly #marks: OpenMark[] = [];

  *read(root: RichNode): Generator<void, Reading> {
    // A list instead of recursion: the text may nest deeper than the stack.
    const steps: Step[] = [];
    const enter = (node: RichNode, isInText: boolean, isInOrder: boolean) => {
      for (const step of this.#visit(node, isInText, isInOrder, enter).reverse()) steps.push(step);
    };
    enter({ type: root.type, attrs: root.attrs, content: root.content, children: root.children }, false, false);
    let taken = 0;
    for (let step = steps.pop(); step; step = steps.pop()) {
      step();
      if (++taken % manyNodes === 0) yield;
    }
    this.#mark([]);
    return { text: this.#parts.join(''), notations: this.#notations };
  }

  /** Reads a node; returns the steps that read its children and leave it. */
  #visit(
    node: RichNode,
    isInText: boolean,
    isInOrder: boolean,
    enter: (child: RichNode, isInText: boolean, isInOrder: boolean) => void,
  ): Step[] {
    const kind = kindOf(node);
    const children = childrenOf(node);
    if (isLink(node) && children.length > 0) {
      this.#mark([]);
      const open = [...marksOf(node), ...marksOf({ marks: [{ ...node, marks: undefined }] })].map((mark) =>
        this.#open(mark),
      );
      return [
        ...children.map((child) => () => enter(child, true, false)),
        () => {
          this.#mark([]);
          for (const mark of open.reverse()) this.#close(mark);
        },
      ];
    }
    const words =
      isInOrder && node.type !== 'text'
        ? ordered(wordsOf(node, kind, false))
        : wordsOf(node, kind, children.length === 0);
    // An image may stand in a line, and by itself.
    const isInLine = isInText && (!kind || (kind.place === 'block' && children.length === 0));
    const place = isInLine ? 'inline' : (kind?.place ?? 'block');
    const isText = node.type === 'text';
    if (place === 'inline') {
      this.#mark(marksOf(node));
      if (isText) this.#write(words);
      else this.#note(words);
    } else {
      this.#mark([]);
      if (place === 'block') this.#begin(kind, words);
      this.#mark(marksOf(node));
      const isMarker = place === 'block' && (kind ? kind.holdsText || kind.indents !== undefined : children.length > 0);
      this.#note(isMarker && !kind ? `${words} ` : words, isMarker);
    }
    const indent = kind?.indents;
    const holdsText = kind?.holdsText ?? (place === 'inline' || children.some(({ type }) => type === 'text'));
    const isList = typeOf(node) === 'orderedlist';
    if (indent !== undefined) this.#indents.push(indent);
    return [
      ...children.map((child) => () => enter(child, holdsText, isList)),
      () => {
        if (place !== 'inline') this.#mark([]);
        if (indent !== undefined) this.#indents.pop();
      },
    ];
  }

  /** Begins the line of a block, unless the one that is there has nothing yet. */
  #begin(kind: Kind | null, words: string) {
    const isItem = kind?.indents !== undefined && words !== '';
    if (this.#line === 'words' || (this.#line === 'marker' && isItem)) this.#break();
  }

  #break() {
    this.#append('\n');
    this.#line = 'nothing';
  }

  /** Closes and opens marks, so that neighbours under the same ones are one piece. */
  #mark(wanted: readonly Mark[]) {
    let same = 0;
    for (const { opening, closing } of wanted) {
      const open = this.#marks[same];
      if (open?.opening !== opening || open.closing !== closing) break;
      same++;
    }
    for (const mark of this.#marks.splice(same).reverse()) this.#close(mark);
    for (const mark of wanted.slice(same)) this.#marks.push(this.#open(mark));
  }

  #open(mark: Mark): OpenMark {
    this.#note(mark.opening);
    return { ...mark, notation: this.#notations.length - 1, part: this.#parts.length };
  }

  #close({ closing, notation, part }: OpenMark) {
    this.#note(closing);
    this.#join(notation, part);
  }

  /** Makes one notation of a short text within a mark, so that `[Pay here](https://…)` is shown as a whole. */
  #join(notation: number, part: number) {
    const [first, last, another] = this.#notations.slice(notation, notation + 3);
    if (!first || !last || another || last.about !== undefined || last.end - first.start > longestNotation) return;
    if (this.#parts.slice(part).some((text) => text.includes('\n'))) return;
    this.#notations.splice(notation, 2, { start: first.start, end: last.end });
  }

  #note(words: string, isMarker = false) {
    if (words === '') return;
    if (words === '\n') {
      this.#break();
      this.#line = 'words';
      return;
    }
    this.#indent();
    const flat = words.replace(/[\r\n\u2028\u2029]+/g, ' ');
    const isLong = flat.length > longestNotation;
    const start = this.#length;
    this.#append(isLong ? `${flat.slice(0, longestNotation).toWellFormed()}…` : flat);
    const isWhole = !isLong && flat === words;
    this.#notations.push(isWhole ? { start, end: this.#length } : { start, end: this.#length, about: words });
    this.#line = isMarker ? 'marker' : 'words';
  }

  #write(words: string) {
    if (words === '') return;
    this.#indent();
    this.#append(words);
    this.#line = 'words';
  }

  #indent() {
    if (this.#line !== 'nothing') return;
    const indent = this.#indents.slice(0, deepestIndent).join('').slice(0, deepestIndent);
    if (indent === '') return;
    this.#notations.push({ start: this.#length, end: this.#length + indent.length });
    this.#append(indent);
  }

  #append(part: string) {
    this.#parts.push(part);
    this.#length += part.length;
  }
}

/** The marker of an item of an ordered list. All have the same number: a new item is no change of those behind it. */
const ordered = (marker: string) => marker.replace(/^- /, '1. ');
