import type { IncomingMessage } from 'node:http';
import { longestRetryAfter } from '../retrySchedule.js';
import type { Delivery } from './sender.js';

/** Bytes of a response that are read, and characters of a failure that are kept. */
const mostRead = 16_384;
const mostKept = 1_000;
/** How long the rest of a response may take once its head has come. */
const bodyMilliseconds = 2_000;

/** What a response says. Its head decides; of its body so much is read that the connection can be kept. */
export async function readResponse(response: IncomingMessage): Promise<Omit<Delivery, 'milliseconds'>> {
  const { statusCode: status = 0, headers } = response;
  const isAcknowledged = status >= 200 && status <= 299;
  const body = beginningOf(response);
  if (isAcknowledged) return { isAcknowledged, status };
  const retryAfter = [429, 503].includes(status) ? secondsIn(headers['retry-after']) : undefined;
  return { isAcknowledged, status, response: await body, ...(retryAfter !== undefined && { retryAfter }) };
}

/** The beginning of the body, as soon as it has ended or enough of it was read. Never rejects. */
function beginningOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => response.destroy(), bodyMilliseconds);
    const end = () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString().slice(0, mostKept).toWellFormed().replaceAll('\0', '\uFFFD'));
    };
    response.on('data', (chunk: Buffer) => {
      if (length < mostKept * 4) chunks.push(chunk.subarray(0, mostKept * 4));
      length += chunk.length;
      if (length > mostRead) response.destroy();
    });
    response.on('error', end);
    response.once('close', end);
    response.once('end', end);
  });
}

/** The seconds of a `Retry-After`, which may be a date. */
function secondsIn(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return seconds > 0 ? Math.min(seconds, longestRetryAfter) : undefined;
}
