import { createHash, type Hash } from 'node:crypto';
import { createReadStream, fstatSync } from 'node:fs';
import { fileProblem } from '../files.js';
import { parseJson } from '../platform/http/index.js';
import { ImportError } from './report.js';
import { lists } from './tables.js';

/** A piece of a workspace: a record of a list, or the value of another field. */
export interface WorkspacePart {
  /** The list of the record, or the field. */
  field: string;
  value: unknown;
  /** The number of the record in its list; undefined for the value of a field. */
  index?: number;
  /** Where it is, for problems: `goals[3]`, or `line 12` of a file with a record in each line. */
  path: string;
}

/** What a workspace is read from, once, from the beginning to the end. */
export interface Source {
  parts: AsyncIterable<WorkspacePart> | Iterable<WorkspacePart>;
  /** SHA-256 of what was read; after the end. */
  digest(): Buffer;
}

/** The parts of a document in memory. */
export function documentSource(document: unknown): Source {
  if (document === null || typeof document !== 'object' || Array.isArray(document)) {
    const shown = document === null ? 'null' : Array.isArray(document) ? 'an array' : JSON.stringify(document);
    throw new ImportError([`the file: must be an object, not ${shown}`]);
  }
  return {
    parts: partsOf(document),
    digest: () => createHash('sha256').update(JSON.stringify(document)).digest(),
  };
}

function* partsOf(document: object): Generator<WorkspacePart> {
  // An empty list says that there is none.
  for (const [field, value] of Object.entries(document))
    if (!Array.isArray(value) || value.length === 0) yield { field, value, path: field };
    else
      for (const [index, record] of value.entries()) yield { field, value: record, index, path: `${field}[${index}]` };
}

/** The longest record, in bytes. */
const longestRecord = 128 * 1024 * 1024;

/** Something in a file that is no JSON, or not of the format. */
class BadFile extends Error {}

/**
 * Reads a workspace from a file, or from standard input for `-`, as a stream: one JSON document, or a JSON record in each
 * line. The parts throw an ImportError that says why it cannot be read, or where the JSON is invalid.
 */
export const fileSource = (file: string): Source =>
  file === '-'
    ? streamSource(standardInput, 'standard input')
    : streamSource(() => createReadStream(file, { highWaterMark: 1 << 18 }), file);

function standardInput(): Bytes {
  // Of which Node reads nothing, and says nothing.
  if (fstatSync(0).isDirectory()) throw Object.assign(new Error('a directory'), { code: 'EISDIR' });
  return process.stdin;
}

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The same of bytes that come from elsewhere, which problems call by this name. */
export function streamSource(open: () => Bytes, name = 'the file'): Source {
  const hash = createHash('sha256');
  return { parts: readParts(open, name, hash), digest: () => hash.copy().digest() };
}

async function* readParts(open: () => Bytes, name: string, hash: Hash): AsyncGenerator<WorkspacePart> {
  try {
    const chunks = bytesOf(open(), hash);
    const first = await firstLine(chunks);
    yield* isRecordLine(first.line) ? linesOf(first) : jsonParts(first);
  } catch (error) {
    if (error instanceof ImportError) throw error;
    const problem = error instanceof BadFile ? error.message : fileProblem(error);
    throw problem === undefined ? error : new ImportError([`${name}: ${problem}`]);
  }
}

async function* bytesOf(stream: Bytes, hash: Hash): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const bytes of stream) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    hash.update(chunk);
    const hasMark = isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    isFirst = false;
    yield hasMark ? chunk.subarray(3) : chunk;
  }
}

interface Begun {
  line: string;
  /** What has been read, the line included. */
  read: Buffer;
  rest: AsyncGenerator<Buffer>;
}

const lineFeed = 0x0a;

/** Reads on until the first line that is not empty is there, as far as it is short enough to be a record. */
async function firstLine(rest: AsyncGenerator<Buffer>): Promise<Begun> {
  const pieces: Buffer[] = [];
  let length = 0;
  for (;;) {
    const { value, done } = await rest.next();
    if (!done) {
      pieces.push(value);
      length += value.length;
    }
    const hasLine = value?.includes(lineFeed) || length > longestRecord;
    if (!done && !hasLine) continue;
    const read = Buffer.concat(pieces);
    const line = /^\s*([^\n]*)/.exec(read.subarray(0, 1 << 20).toString('utf8'))?.[1] ?? '';
    return { line, read, rest };
  }
}

function isRecordLine(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && Object.hasOwn(value, 'kind');
  } catch {
    return false;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields by the kind of their records in a file that has one in each line. */
const fieldOfKind = new Map([
  ['company', 'company'],
  ...Object.entries(lists).map(([list, { kind }]) => [kind, list] as const),
]);

const endOfKinds = [...fieldOfKind.keys(), 'header', 'end'].join(', ');

/** A record in each line. The last one counts the others, so that a file that was cut is known. */
async function* linesOf({ read, rest }: Begun): AsyncGenerator<WorkspacePart> {
  let number = 0;
  let records = 0;
  let hasEnded = false;
  const counts = new Map<string, number>();
  for await (const bytes of splitLines(read, rest)) {
    number += 1;
    const text = decode(bytes);
    if (text.trim() === '') continue;
    if (hasEnded) throw new BadFile(`line ${number}: follows the record of kind end`);
    const path = `line ${number}`;
    const record = parseAt(text, { line: number, column: 1 });
    if (!isObject(record)) throw new BadFile(`${path}: must be an object, not ${shown(record)}`);
    const { kind, ...value } = record;
    if (kind === 'end') {
      if (value.records === undefined)
        throw new BadFile(`${path}: the record of kind end must count the others: "records": ${records}`);
      if (value.records !== records)
        throw new BadFile(`${path}: counts ${shown(value.records)} records, but there are ${records}`);
      hasEnded = true;
      continue;
    }
    records += 1;
    const field = typeof kind === 'string' ? fieldOfKind.get(kind) : undefined;
    if (kind === 'header') {
      for (const [name, content] of Object.entries(value))
        yield { field: name, value: content, path: `${path}, ${name}` };
    } else if (field === undefined) throw new BadFile(`${path}: kind must be one of ${endOfKinds}`);
    else if (field === 'company') yield { field, value, path };
    else {
      const index = counts.get(field) ?? 0;
      counts.set(field, index + 1);
      yield { field, value, index, path };
    }
  }
  if (!hasEnded) throw new BadFile('has no record of kind end: it was cut');
}

async function* splitLines(read: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of chain(read, rest)) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      yield joined(pieces, chunk.subarray(start, end));
      pieces = [];
      length = 0;
      start = end + 1;
    }
    pieces.push(chunk.subarray(start));
    length += chunk.length - start;
    requireShort(length);
  }
  if (length > 0) yield Buffer.concat(pieces);
}

const joined = (pieces: Buffer[], last: Buffer) => (pieces.length === 0 ? last : Buffer.concat([...pieces, last]));

async function* chain(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function requireShort(bytes: number): void {
  if (bytes > longestRecord) throw new BadFile(`has a record of more than ${longestRecord / 1024 / 1024} MB`);
}

interface Place {
  line: number;
  column: number;
}

/** Parses JSON that begins there in the file. */
function parseAt(text: string, start: Place): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new BadFile(`line ${start.line}: is not valid JSON: ${(error as SyntaxError).message}`);
  }
}

/** A text that is not JSON: says where it stops being that. */
function invalid(text: string, start: Place): BadFile {
  try {
    parseAt(text, start);
  } catch (error) {
    if (error instanceof BadFile) return error;
    throw error;
  }
  return new BadFile('is not valid JSON');
}

/** A value for a message. */
const shown = (value: unknown) => JSON.stringify(value).slice(0, 80).toWellFormed();

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BadFile('is not UTF-8 text');
  }
}

const quotation = 0x22;
const backslash = 0x5c;

/** What a cut out piece of a document is parsed as, with the text before and after it. */
type Piece = 'field' | 'element';

/**
 * The parts of one JSON document. Looks at the bytes only for strings and brackets, cuts the document at the commas of
 * its outermost object and of the lists in it, and leaves the rest to JSON.parse: so it holds one record at a time.
 */
class DocumentSplitter {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #field: string | undefined;
  #index = 0;
  #isInList = false;
  #pieces: Buffer[] = [];
  #length = 0;
  #line = 1;
  #column = 1;
  #start: Place = { line: 1, column: 1 };
  /** Whether the brace of the outermost object has been seen. */
  #hasBegun = false;
  #hasEnded = false;
  readonly #fields = new Set<string>();

  *push(chunk: Buffer): Generator<WorkspacePart> {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quotation) this.#inString = false;
      } else if (byte === quotation) this.#inString = true;
      else if (byte === 0x7b || byte === 0x5b) {
        this.#depth += 1;
        if (this.#depth > 10_000) throw new BadFile('is not valid JSON');
        if (this.#depth === 1 && byte === 0x7b && !this.#hasBegun) {
          const before = this.#text(chunk, start, at);
          if (before.trim() !== '') throw invalid(`${before}{`, this.#start);
          this.#hasBegun = true;
          start = this.#cut(at + 1);
        } else if (this.#depth === 2 && byte === 0x5b && this.#hasBegun && this.#field === undefined) {
          this.#field = this.#nameBefore(chunk, start, at);
          this.#isInList = true;
          this.#index = 0;
          start = this.#cut(at + 1);
        }
      } else if (byte === 0x2c || byte === 0x7d || byte === 0x5d) {
        const isComma = byte === 0x2c;
        const level = isComma ? this.#depth : this.#depth - 1;
        if (this.#isInList && this.#depth === 2) {
          if (isComma || byte === 0x5d) {
            yield* this.#take('element', chunk, start, at, isComma);
            start = this.#cut(at + 1);
          }
          if (byte === 0x5d) this.#isInList = false;
        } else if (this.#hasBegun && this.#depth === 1 && (isComma || byte === 0x7d)) {
          yield* this.#take('field', chunk, start, at, isComma);
          start = this.#cut(at + 1);
          if (!isComma) this.#hasEnded = true;
        }
        if (!isComma) this.#depth = level;
      }
      if (byte === lineFeed) {
        this.#line += 1;
        this.#column = 1;
      } else if ((byte & 0xc0) !== 0x80) this.#column += byte >= 0xf0 ? 2 : 1;
      if (this.#length === 0 && at + 1 === start) this.#start = { line: this.#line, column: this.#column };
    }
    this.#pieces.push(chunk.subarray(start));
    this.#length += chunk.length - start;
    requireShort(this.#length);
  }

  /** Requires that the document has ended, and nothing follows. */
  end(): void {
    const rest = decode(Buffer.concat(this.#pieces));
    if (!this.#hasEnded) throw this.#unfinished(rest);
    if (rest.trim() !== '') throw invalid(`0${rest}`, { line: this.#start.line, column: this.#start.column - 1 });
  }

  #cut(start: number): number {
    this.#pieces = [];
    this.#length = 0;
    return start;
  }

  #text(chunk: Buffer, start: number, end: number): string {
    return decode(joined(this.#pieces, chunk.subarray(start, end)));
  }

  /** The name before a list. */
  #nameBefore(chunk: Buffer, start: number, end: number): string {
    const text = this.#text(chunk, start, end);
    const [field = ''] = Object.keys(this.#entryOf(`${text}[]`));
    this.#once(field);
    return field;
  }

  /** A field of the outermost object. */
  #entryOf(text: string): object {
    return parseAt(`{${text}}`, { ...this.#start, column: this.#start.column - 1 }) as object;
  }

  #once(field: string): void {
    if (this.#fields.has(field)) throw new BadFile(`has the field ${JSON.stringify(field)} twice (line ${this.#line})`);
    this.#fields.add(field);
  }

  *#take(kind: Piece, chunk: Buffer, start: number, end: number, isComma: boolean): Generator<WorkspacePart> {
    const text = this.#text(chunk, start, end);
    const isBlank = text.trim() === '';
    if (kind === 'element') {
      const field = this.#field as string;
      if (isBlank && !isComma && this.#index === 0) yield { field, value: [], path: field };
      else if (isBlank) throw invalid(`[0,${text}]`, { ...this.#start, column: this.#start.column - 3 });
      else {
        const index = this.#index;
        const value = parseAt(text, this.#start);
        yield { field, value, index, path: `${field}[${index}]` };
        this.#index += 1;
      }
      return;
    }
    // Behind a list there is only its comma or the end.
    if (this.#field !== undefined) {
      if (!isBlank) throw invalid(`[]${text}`, { ...this.#start, column: this.#start.column - 2 });
      this.#field = undefined;
      return;
    }
    if (isBlank && !isComma) {
      if (this.#fields.size === 0) return;
      throw invalid(`{"":0,${text}}`, { ...this.#start, column: this.#start.column - 6 });
    }
    for (const [name, value] of Object.entries(this.#entryOf(isBlank ? ',' : text))) {
      this.#once(name);
      yield { field: name, value, path: name };
    }
  }

  #unfinished(rest: string): BadFile {
    if (!this.#hasBegun) {
      try {
        return new BadFile(`must be an object, not ${shown(parseJson(rest))}`);
      } catch {
        return invalid(rest, this.#start);
      }
    }
    const before = this.#isInList ? '{"":[' : this.#field === undefined ? '{' : '{"":[]';
    return invalid(`${before}${rest}`, { ...this.#start, column: this.#start.column - before.length });
  }
}

async function* jsonParts({ read, rest }: Begun): AsyncGenerator<WorkspacePart> {
  const splitter = new DocumentSplitter();
  for await (const chunk of chain(read, rest)) yield* splitter.push(chunk);
  splitter.end();
}

/** The people in prisma/demo-workspace.json who get the demo's tokens, and their company. */
export const demoPeople = {
  companyId: 'company-harborlight',
  writerId: 'person-tomas-okafor',
  readerId: 'person-jonas-weber',
} as const;
