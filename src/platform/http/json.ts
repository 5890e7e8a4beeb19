import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { type JSONVisitor, type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { failure, quoted } from '../failures/index.js';
import { overloaded } from './admission.js';
import type { RequestContext } from './context.js';
import type { RequestHead } from './request.js';

const maximumDepth = 100;

/** Why a text is refused, and where that is, counted from 1. */
export class JsonError extends Error {
  override readonly name = 'JsonError';

  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
    /** Whether it is JSON nevertheless: something that readers understand in several ways. */
    readonly isSyntax = true,
  ) {
    super(message);
  }
}

/**
 * Parses JSON strictly: also rejects what JSON.parse would silently change or drop (RFC 7493: keys that occur twice,
 * numbers that a double cannot hold), and deep nesting. Throws a JsonError. Takes time in proportion to the text.
 */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw malformed('the text is empty', 0, 0);
  if (text.startsWith('\uFEFF')) throw malformed('the text starts with a byte order mark', 0, 0);
  let parsed: { value: unknown } | undefined;
  try {
    parsed = { value: JSON.parse(text) };
    if (isCertain(parsed.value, text)) return parsed.value;
  } catch {
    // Said below, with its place.
  }
  visit(text, strictly(text), { disallowComments: true, allowTrailingComma: false });
  if (!parsed) throw malformed('the text is not JSON', 0, 0);
  return parsed.value;
}

/**
 * Whether what JSON.parse has made of a text certainly lacks nothing, as of nearly every body of a program: then it is
 * written as it was, which takes a tenth of the time to find out.
 */
const isCertain = (value: unknown, text: string): boolean => isShallow(value) && JSON.stringify(value) === text;

const isShallow = (value: unknown, depth = 0): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth < maximumDepth && Object.values(value).every((inner) => isShallow(inner, depth + 1)));

function strictly(text: string): JSONVisitor {
  const open: Set<string>[] = [];
  const enter = (_offset: number, _length: number, line: number, character: number) => {
    if (open.push(new Set()) > maximumDepth)
      throw refused(`the value is nested deeper than ${maximumDepth} levels`, line, character);
  };
  const leave = () => void open.pop();
  return {
    onObjectBegin: enter,
    onArrayBegin: enter,
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty(name, _offset, _length, line, character) {
      const names = open.at(-1);
      if (names?.has(name)) throw refused(`the key ${quoted(name)} occurs twice`, line, character);
      names?.add(name);
    },
    onLiteralValue(value, offset, length, line, character) {
      if (typeof value !== 'number' || isExact(text.slice(offset, offset + length), value)) return;
      throw refused('the number cannot be read exactly', line, character);
    },
    onError(code: ParseErrorCode, _offset, _length, line, character) {
      const problem = printParseErrorCode(code).replace(/(?<=[a-z])[A-Z]/g, ' $&');
      throw malformed(problem.toLowerCase(), line, character);
    },
  };
}

/** Whether a double holds the number in the text: finite, with all digits of an integer, not rounded to one, nor to zero. */
function isExact(text: string, value: number): boolean {
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(value);
  if (!Number.isFinite(value)) return false;
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  // The number is these digits times a power of ten.
  const digits = `${whole}${fraction}`.replace(/^-?0*/, '').replace(/0+$/, '');
  if (value === 0 || digits === '') return digits === '' && value === 0;
  const zeros = /0*$/.exec(`${whole}${fraction}`)?.[0].length ?? 0;
  const isInteger = Number(exponent) - fraction.length + zeros >= 0;
  return isInteger === Number.isInteger(value);
}

const malformed = (problem: string, line: number, character: number) => new JsonError(problem, line + 1, character + 1);
const refused = (problem: string, line: number, character: number) =>
  new JsonError(problem, line + 1, character + 1, false);

/** Parses JSON of a request strictly. Throws MALFORMED_JSON with the `line` and `column` of the problem. */
export function parseRequestJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { message: problem, line, column } = error;
    throw failure('MALFORMED_JSON', { problem, line, column });
  }
}

/**
 * Reads a JSON body of at most `limit` bytes. Throws, in this order, 415 (media type, encoding), 413 (size) or 400
 * (syntax). Reads the body within `receiveBody`, once the headers are in order.
 */
export async function readJson(
  { headers }: RequestHead,
  limit: number,
  { req, receiveBody = (read) => read() }: Pick<RequestContext, 'req' | 'receiveBody'>,
): Promise<unknown> {
  requireJson(headers.get('content-type'));
  requireIdentity(headers.get('content-encoding'));
  if (Number(headers.get('content-length') ?? 0) > limit) throw failure('PAYLOAD_TOO_LARGE', { limit });
  const bytes = req
    ? (bytesRead(req, limit) ?? (await receiveBody((take) => readBytes(req, limit, take))))
    : Buffer.alloc(0);
  if (!isUtf8(bytes)) throw failure('MALFORMED_JSON', { problem: 'the text is not UTF-8' });
  return parseRequestJson(bytes.toString());
}

/**
 * The body that a middleware in front, such as `express.json()`, has read and left in `req.body`: a value, a text or bytes.
 * Undefined if none has. Of a value it is not known any more what the middleware has silently changed.
 */
function bytesRead(req: IncomingMessage & { body?: unknown }, limit: number): Buffer | undefined {
  const { readableEnded, body } = req;
  if (!readableEnded || body === undefined) return undefined;
  const bytes =
    body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(typeof body === 'string' ? body : textOf(body));
  if (bytes.length > limit) throw failure('PAYLOAD_TOO_LARGE', { limit });
  return bytes;
}

function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    throw failure('MALFORMED_JSON', { problem: `the value is nested deeper than ${maximumDepth} levels` });
  }
}

function requireJson(contentType: string | null): void {
  if (contentType === 'application/json') return;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') throw failure('UNSUPPORTED_MEDIA_TYPE');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  if (charset && !['charset=utf-8', 'charset="utf-8"'].includes(charset)) {
    throw failure('UNSUPPORTED_MEDIA_TYPE');
  }
}

function requireIdentity(encoding: string | null): void {
  const isEncoded = !['', 'identity'].includes((encoding ?? '').trim().toLowerCase());
  if (isEncoded) throw failure('UNSUPPORTED_MEDIA_TYPE', { isEncoded });
}

/** Not `for await`, because leaving the loop would close the connection before the response. */
const readBytes = (req: IncomingMessage, limit: number, take = (_bytes: number) => true): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const giveUp = (error: GraphQLError) => {
      req.off('data', read);
      chunks.length = 0;
      reject(error);
    };
    const read = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) giveUp(failure('PAYLOAD_TOO_LARGE', { limit }));
      else if (take(chunk.length)) {
        chunks.push(chunk);
      } else {
        // The rest of the body is discarded, and the connection stays open.
        giveUp(overloaded());
      }
    };
    // The client disconnected, or its chunks cannot be read.
    const endEarly = () => {
      if (!req.readableEnded) reject(endedEarly());
    };
    // Other code has read the body, or the client is gone: no data will arrive.
    if (req.readableEnded || req.destroyed) {
      reject(endedEarly());
      return;
    }
    req
      .on('data', read)
      .once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    req.once('error', endEarly).once('close', endEarly);
  });

const endedEarly = () => failure('MALFORMED_REQUEST', { problem: 'the body ends before it is complete' });
