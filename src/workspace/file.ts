import { createHash, type Hash } from 'node:crypto';
import { createReadStream, fstatSync } from 'node:fs';
import { fileProblem } from '../fileSystem.js';
import { parseJson } from '../platform/http/index.js';
import { ImportError, quote } from './report.js';
import { lists } from './tables.js';

/** A piece of a workspace: a record of a list, or the value of a field. */
export interface WorkspacePart {
  /** The list of the record, or the field. */
  field: string;
  value: unknown;
  isRecord: boolean;
  /** Where it is, for problems: `goals[3]`, or `line 12` of a file with a record in each line. */
  path: string;
}

/** What a workspace is read from, once, from the beginning to the end. */
export interface Source {
  parts: AsyncIterable<WorkspacePart>;
  /** SHA-256 of what was read; after the end. */
  digest(): Buffer;
}

function* partsOf(document: object): Generator<WorkspacePart> {
  // An empty list says that there is none, and one in the place of another value is refused where that is read.
  for (const [field, value] of Object.entries(document))
    if (!Object.hasOwn(lists, field) || !Array.isArray(value) || value.length === 0)
      yield { field, value, isRecord: false, path: field };
    else
      for (const [index, record] of value.entries())
        yield { field, value: record, isRecord: true, path: `${field}[${index}]` };
}

const megabyte = 1024 * 1024;
/** The longest JSON document, which is read as a whole, and the longest record of a file of lines, in bytes. */
const [longestDocument, longestRecord] = [256 * megabyte, 128 * megabyte];

/** Something in a file that is no JSON, or not of the format. */
class BadFile extends Error {}

/** Reads a workspace from a file, or standard input for `-`: one JSON document, or a record in each line. */
export const fileSource = (file: string): Source =>
  file === '-'
    ? streamSource(standardInput, 'standard input')
    : streamSource(() => createReadStream(file, { highWaterMark: 1 << 18 }), file);

function standardInput(): Bytes {
  // Of which Node reads nothing, and says nothing.
  if (fstatSync(0).isDirectory()) throw new BadFile('is a directory');
  if (process.stdin.readableEnded) throw new BadFile('another transaction was in the way; send it again');
  return process.stdin;
}

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The same of bytes that come from elsewhere, which problems call by this name. */
export function streamSource(open: () => Bytes, name = 'the file'): Source {
  let hash = createHash('sha256');
  return {
    // Read again if the transaction of the import loses to another.
    get parts() {
      hash = createHash('sha256');
      return readParts(open, name, hash);
    },
    digest: () => hash.copy().digest(),
  };
}

async function* readParts(open: () => Bytes, name: string, hash: Hash): AsyncGenerator<WorkspacePart> {
  try {
    const { line, bytes } = await firstLine(bytesOf(open(), hash));
    yield* isRecordLine(line) ? linesOf(bytes) : documentParts(bytes);
  } catch (error) {
    if (error instanceof ImportError) throw error;
    const problem = error instanceof BadFile ? error.message : fileProblem(error);
    throw problem === undefined ? error : new ImportError([`${name}: ${problem}`]);
  }
}

async function* bytesOf(stream: Bytes, hash: Hash): AsyncGenerator<Buffer> {
  for await (const bytes of stream) {
    hash.update(bytes);
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

const lineFeed = 0x0a;

/**
 * Reads on until the first line that is not empty is there, as far as it is short enough to be a record. Returns all bytes,
 * too, with those of that line.
 */
async function firstLine(rest: AsyncGenerator<Buffer>) {
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
    return { line, bytes: chain(read, rest) };
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
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<WorkspacePart> {
  let number = 0;
  let records = 0;
  let hasEnded = false;
  for await (const line of splitLines(bytes)) {
    number += 1;
    const text = decode(line);
    if (text.trim() === '') continue;
    if (hasEnded) throw new BadFile(`line ${number}: follows the record of kind end`);
    const path = `line ${number}`;
    const record = parse(text, `${path}: `);
    if (!isObject(record)) throw new BadFile(`${path}: must be an object, not ${quote(record)}`);
    const { kind, ...value } = record;
    if (kind === 'end') {
      if (value.records === undefined)
        throw new BadFile(`${path}: the record of kind end must count the others: "records": ${records}`);
      if (value.records !== records)
        throw new BadFile(`${path}: counts ${quote(value.records)} records, but there are ${records}`);
      hasEnded = true;
      continue;
    }
    records += 1;
    const field = typeof kind === 'string' ? fieldOfKind.get(kind) : undefined;
    if (kind === 'header') {
      for (const [name, content] of Object.entries(value))
        yield { field: name, value: content, isRecord: false, path: `${path}, ${name}` };
    } else if (field === undefined) throw new BadFile(`${path}: kind must be one of ${endOfKinds}`);
    else yield { field, value, isRecord: field !== 'company', path };
  }
  if (!hasEnded) throw new BadFile('has no record of kind end: it was cut');
}

async function* splitLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const last = chunk.subarray(start, end);
      yield pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
      pieces = [];
      length = 0;
      start = end + 1;
    }
    pieces.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > longestRecord) throw new BadFile(`has a record of more than ${longestRecord / megabyte} MB`);
  }
  if (length > 0) yield Buffer.concat(pieces);
}

async function* chain(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function parse(text: string, where = ''): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new BadFile(`${where}is not valid JSON: ${(error as SyntaxError).message.toWellFormed()}`);
  }
}

/** Leaves a byte order mark out. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BadFile('is not UTF-8 text');
  }
}

/** The parts of one JSON document, which is held in memory. */
async function* documentParts(bytes: AsyncIterable<Buffer>): AsyncGenerator<WorkspacePart> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    pieces.push(chunk);
    length += chunk.length;
    if (length > longestDocument)
      throw new BadFile(
        `is a JSON document of more than ${longestDocument / megabyte} MB: write a JSON record in each line instead (NDJSON), of which there may be any number`,
      );
  }
  const document = parse(decode(Buffer.concat(pieces)));
  if (!isObject(document)) throw new BadFile(`must be an object, not ${quote(document)}`);
  yield* partsOf(document);
}

/** The people in prisma/demo-workspace.json who get the demo's tokens, and their company. */
export const demoPeople = {
  companyId: 'company-harborlight',
  writerId: 'person-tomas-okafor',
  readerId: 'person-jonas-weber',
} as const;
