import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { failure } from '../failures/index.js';
import { overloaded, type ReadBody } from './admission.js';
import type { RequestHead } from './request.js';
import type { RequestContext } from './requestContext.js';

const maximumDepth = 100;

/** Parses JSON: what `JSON.parse` makes of it, at most 100 levels deep. Throws a SyntaxError that says what is wrong. */
export function parseJson(text: string): unknown {
  // First, as a deep text takes ten times as long to parse.
  if (!isShallow(text)) throw tooDeep();
  return JSON.parse(text);
}

const tooDeep = () => new SyntaxError(`The value is nested deeper than ${maximumDepth} levels`);

function isShallow(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length && depth <= maximumDepth; at += 1) {
    const character = text[at];
    if (character === '"') isInString = !isInString;
    else if (isInString) at += character === '\\' ? 1 : 0;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
  }
  return depth <= maximumDepth;
}

/** The same of a request. Throws MALFORMED_JSON with the `problem`. */
export function parseRequestJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw failure('MALFORMED_JSON', { problem: (error as SyntaxError).message.toWellFormed() });
  }
}

/**
 * Reads a JSON body of at most `limit` bytes. Throws, in this order, 415 (media type, encoding), 413 (size) or 400
 * (syntax). Reads the body once the headers are in order.
 */
export async function readJson(
  { headers }: RequestHead,
  limit: number,
  { req, seat }: Pick<RequestContext, 'req' | 'seat'>,
): Promise<unknown> {
  requireJson(headers.get('content-type'));
  requireIdentity(headers.get('content-encoding'));
  if (Number(headers.get('content-length') ?? 0) > limit) throw failure('PAYLOAD_TOO_LARGE', { limit });
  const read: ReadBody<Buffer> = (take) => readBytes(req, limit, take);
  const bytes = bytesRead(req, limit) ?? (await (seat ? seat.whileReceiving(req, read) : read()));
  if (!isUtf8(bytes)) throw failure('MALFORMED_JSON', { problem: 'The text is not UTF-8' });
  return parseRequestJson(bytes.toString());
}

/** The body that a middleware in front, such as `express.json()`, has left in `req.body`: a value, a text or bytes. */
function bytesRead(req: IncomingMessage & { body?: unknown }, limit: number): Buffer | undefined {
  const { readableEnded, body } = req;
  if (!readableEnded || body === undefined) return undefined;
  const bytes = body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(textOf(body));
  if (bytes.length > limit) throw failure('PAYLOAD_TOO_LARGE', { limit });
  return bytes;
}

function textOf(body: unknown): string {
  try {
    return typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  } catch {
    throw failure('MALFORMED_JSON', { problem: tooDeep().message });
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
