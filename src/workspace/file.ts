import { createHash, type Hash } from 'node:crypto';
import { createReadStream, fstatSync } from 'node:fs';
import { fileProblem } from '../files.js';
import { JsonError, parseJson } from '../platform/http/index.js';
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
    const record = parseAt(text, after({ line: number, column: 1 }));
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

/** Parses a part of the file, of whose places it is told where they are in the file. */
function parseAt(text: string, placeInFile: (place: Place) => Place): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column } = placeInFile(error);
    const problem = error.isSyntax ? 'is not valid JSON' : error.message;
    throw new BadFile(`${problem} (line ${line}, column ${column})`);
  }
}

/** The places of a text that begins there. */
const after = (start: Place) => (place: Place) => ({
  line: start.line + place.line - 1,
  column: (place.line === 1 ? start.column : 1) + place.column - 1,
});

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

/** A list that is being read, up to a record that begins there. */
interface OpenList {
  field: string;
  count: number;
  start: Place;
}

/**
 * The parts of one JSON document. Looks at the bytes only for strings and brackets, and cuts the records out of the lists
 * of its outermost object, so that it holds one at a time. What is left is the frame: it is parsed where a list begins,
 * and at the end.
 */
class DocumentSplitter {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #isObject = false;
  /** What has been read since the last cut: of a record, or of the frame. */
  #pieces: Buffer[] = [];
  #length = 0;
  #here: Place = { line: 1, column: 1 };
  #frame = '';
  /** Where the frame goes on behind its last list: there, and by how much later in the file. */
  #behind = { line: 1, lines: 0, columns: 0 };
  #list: OpenList | undefined;
  readonly #given = new Set<string>();

  *push(chunk: Buffer): Generator<WorkspacePart> {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      this.#advance(byte);
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quotation) this.#inString = false;
      } else if (byte === quotation) this.#inString = true;
      else if (byte === 0x7b || byte === 0x5b) {
        this.#depth += 1;
        if (this.#depth === 1) this.#isObject = byte === 0x7b;
        if (this.#depth !== 2 || byte !== 0x5b || !this.#isObject) continue;
        this.#frame += this.#take(chunk, start, at + 1);
        start = at + 1;
        yield* this.#beginList();
      } else if (byte === 0x2c || byte === 0x7d || byte === 0x5d) {
        const isLast = byte !== 0x2c;
        if (this.#list && this.#depth === 2) {
          yield* this.#recordOf(this.#list, this.#take(chunk, start, at), isLast);
          start = isLast ? at : at + 1;
        }
        if (isLast) this.#depth -= 1;
      }
    }
    this.#pieces.push(chunk.subarray(start));
    this.#length += chunk.length - start;
    requireShort(this.#length + this.#frame.length);
  }

  /** Requires that the document has ended, and nothing follows. */
  *end(): Generator<WorkspacePart> {
    if (this.#list) throw new BadFile(`is not valid JSON (line ${this.#here.line}, column ${this.#here.column})`);
    this.#frame += this.#take(Buffer.alloc(0), 0, 0);
    const document = this.#parseFrame();
    if (!isObject(document)) throw new BadFile(`must be an object, not ${shown(document)}`);
    yield* this.#newFields(document);
  }

  #advance(byte: number): void {
    if (byte === lineFeed) this.#here = { line: this.#here.line + 1, column: 1 };
    else if ((byte & 0xc0) !== 0x80) this.#here.column += byte >= 0xf0 ? 2 : 1;
  }

  #take(chunk: Buffer, start: number, end: number): string {
    const text = decode(joined(this.#pieces, chunk.subarray(start, end)));
    this.#pieces = [];
    this.#length = 0;
    return text;
  }

  /** Parses the frame, which is in order up to its last list. */
  #parseFrame(end = ''): unknown {
    const { line, lines, columns } = this.#behind;
    return parseAt(`${this.#frame}${end}`, (place) => ({
      line: place.line + lines,
      column: place.column + (place.line === line ? columns : 0),
    }));
  }

  *#newFields(frame: object): Generator<WorkspacePart> {
    for (const [field, value] of Object.entries(frame).filter(([name]) => !this.#given.has(name))) {
      this.#given.add(field);
      yield { field, value, path: field };
    }
  }

  *#beginList(): Generator<WorkspacePart> {
    const frame = this.#parseFrame(']}') as object;
    const field = Object.keys(frame).at(-1) ?? '';
    this.#given.add(field);
    this.#list = { field, count: 0, start: { ...this.#here } };
    yield* this.#newFields(frame);
  }

  *#recordOf(list: OpenList, text: string, isLast: boolean): Generator<WorkspacePart> {
    const { field, count: index, start } = list;
    if (isLast && index === 0 && text.trim() === '') yield { field, value: [], path: field };
    else yield { field, value: parseAt(text, after(start)), index, path: `${field}[${index}]` };
    this.#list = isLast ? undefined : { field, count: index + 1, start: { ...this.#here } };
    if (!isLast) return;
    const frame = this.#frame.split('\n');
    const [line, column] = [frame.length, (frame.at(-1)?.length ?? 0) + 1];
    this.#behind = { line, lines: this.#here.line - line, columns: this.#here.column - 1 - column };
  }
}

async function* jsonParts({ read, rest }: Begun): AsyncGenerator<WorkspacePart> {
  const splitter = new DocumentSplitter();
  for await (const chunk of chain(read, rest)) yield* splitter.push(chunk);
  yield* splitter.end();
}

/** The people in prisma/demo-workspace.json who get the demo's tokens, and their company. */
export const demoPeople = {
  companyId: 'company-harborlight',
  writerId: 'person-tomas-okafor',
  readerId: 'person-jonas-weber',
} as const;
