import { inOrder, type Kind, kindOf, type Mark, marksOf, wordsOf } from './nodes.js';
import { isNode, type RichNode, richText } from './richText.js';

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
 * sources of images, the persons of mentions, the states of tasks and all else that is no matter of looks. A node that
 * is not known is its JSON, so that nothing is invisible.
 */
export function readingOf(text: string): Reading {
  const root = richText(text);
  return root ? new Serializer().read(root) : asTyped(text);
}

/** The reading of a plain text. */
export const asTyped = (text: string): Reading => ({ text, notations: [] });

/** A node whose children are being read. */
interface OpenNode {
  children: readonly unknown[];
  next: number;
  kind: Kind;
  /** Whether its children stand in a line. */
  holdsText: boolean;
  isOrdered: boolean;
}

class Serializer {
  readonly #parts: string[] = [];
  readonly #notations: Notation[] = [];
  #length = 0;
  /** What the line has so far. */
  #line: 'nothing' | 'marker' | 'words' = 'nothing';
  /** What lines begin with, by the blocks around them. */
  readonly #indents: string[] = [];
  /** How many rows of tables are around. */
  #rows = 0;
  /** The marks that are open, innermost last. */
  readonly #marks: Mark[] = [];

  read({ type, attrs, content, marks: _marks, ...others }: RichNode): Reading {
    const root = { type, attrs: isNode(attrs) ? { ...others, ...attrs } : others, content };
    // A list instead of recursion: the text may nest deeper than the stack.
    const open = [this.#enter(root, false, false)];
    for (let node = open.at(-1); node; node = open.at(-1)) {
      if (node.next < node.children.length) {
        const child = this.#enter(node.children[node.next++], node.holdsText, node.isOrdered);
        if (child) open.push(child);
      } else {
        this.#leave(node);
        open.pop();
      }
    }
    return { text: this.#parts.join(''), notations: this.#notations };
  }

  /** Reads a node; returns it if its children are to be read. */
  #enter(node: unknown, isInText: boolean, isInOrder: boolean): OpenNode | undefined {
    const kind = isNode(node) ? kindOf(node) : null;
    if (!kind || !isNode(node)) {
      this.#mark([]);
      if (!isInText) this.#begin(false);
      this.#json(inOrder(node));
      return undefined;
    }
    const children = Array.isArray(node.content) ? node.content : [];
    // An image may stand in a line, and by itself.
    const isInLine = kind.place === 'inline' || (isInText && kind.place === 'block' && children.length === 0);
    // All items of an ordered list have the same number: a new item is no change of those behind it.
    const words = isInOrder ? wordsOf(node, kind).replace(/^- /, '1. ') : wordsOf(node, kind);
    const marks = marksOf(node);
    const isMarker = kind.holdsText === true || kind.indents !== undefined;
    if (!isInLine) this.#mark([]);
    if (!isInLine && kind.place === 'block') this.#begin(kind.indents !== undefined && words !== '');
    this.#mark(marks);
    if (node.type === 'text') this.#write(words);
    else if (words === '| ') this.#note(this.#line === 'words' ? ' | ' : words, true);
    else this.#note(words, !isInLine && isMarker);
    if (kind.indents !== undefined) this.#indents.push(kind.indents);
    if (kind.isRow) this.#rows += 1;
    const holdsText = kind.holdsText ?? kind.place === 'inline';
    return { children, next: 0, kind, holdsText, isOrdered: kind.isOrdered === true };
  }

  #leave({ kind }: OpenNode) {
    if (kind.place !== 'inline') this.#mark([]);
    if (kind.indents !== undefined) this.#indents.pop();
    if (kind.isRow) this.#rows -= 1;
  }

  /** Begins the line of a block, unless the one that is there has nothing yet. */
  #begin(isItem: boolean) {
    if (this.#line === 'words' || (this.#line === 'marker' && isItem)) this.#break();
  }

  #break() {
    if (this.#rows > 0) this.#note(' ', true);
    else {
      this.#append('\n');
      this.#line = 'nothing';
    }
  }

  /** Closes and opens marks, so that neighbours under the same ones are one piece. */
  #mark(wanted: readonly Mark[]) {
    let same = 0;
    for (const { opening, closing } of wanted) {
      const open = this.#marks[same];
      if (open?.opening !== opening || open.closing !== closing) break;
      same++;
    }
    for (const { closing } of this.#marks.splice(same).reverse()) this.#note(closing);
    for (const mark of wanted.slice(same)) {
      this.#note(mark.opening);
      this.#marks.push(mark);
    }
  }

  /** JSON is read as words, of which the first character says that nobody has typed them. */
  #json(json: string) {
    this.#note(json.slice(0, 1));
    this.#write(json.slice(1));
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
