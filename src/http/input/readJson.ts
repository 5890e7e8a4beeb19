import { failure } from '../../errors/failures.js';
import type { RequestContext } from '../route.js';
import { parseJson } from './parseJson.js';

/**
 * Reads a JSON body of at most `limit` bytes. Throws, in this order, 415 (media type), 413 (size) or 400 (syntax). Reads
 * the body within `receiveBody`, once the headers are in order.
 */
export async function readJson(
  request: Request,
  limit: number,
  receiveBody: RequestContext['receiveBody'] = (read) => read(),
): Promise<unknown> {
  requireJson(request.headers.get('content-type'));
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw failure('PAYLOAD_TOO_LARGE', { limit });
  const bytes = await receiveBody(() => readBytes(request, limit));
  return parseJson(decode(bytes));
}

function requireJson(contentType: string | null): void {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') throw failure('UNSUPPORTED_MEDIA_TYPE');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  if (charset && !['charset=utf-8', 'charset="utf-8"'].includes(charset)) {
    throw failure('UNSUPPORTED_MEDIA_TYPE');
  }
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Not `for await`, because leaving the loop would close the connection before the answer.
  const reader = request.body?.getReader();
  const next = () => reader?.read().catch(endedEarly);
  for (let part = await next(); part?.value; part = await next()) {
    size += part.value.length;
    if (size > limit) throw failure('PAYLOAD_TOO_LARGE', { limit });
    chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}

/** The client went away, or its chunks cannot be read. */
function endedEarly(): never {
  throw failure('MALFORMED_REQUEST', { problem: 'the body ends before it is complete' });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw failure('MALFORMED_JSON', { problem: 'the text is not UTF-8' });
  }
}
