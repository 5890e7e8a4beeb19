import { randomUUID } from 'node:crypto';
import type { Identity } from './requestRecord.js';

const validId = /^[\w.:/+=-]{1,128}$/;

/** The id of a request (the caller's `X-Request-Id` if valid) and the caller's trace. */
export function identify(header: (name: string) => unknown): Identity {
  const [given = '', traceparent = ''] = ['x-request-id', 'traceparent'].map((name) => String(header(name) ?? ''));
  return { requestId: validId.test(given) ? given : randomUUID(), ...traceOf(traceparent) };
}

const version00 = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/;
const laterVersion = /^(?!00|ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-.*)?$/;

/** The caller's trace and span in a W3C `traceparent`, for the log; nothing if it is invalid. */
function traceOf(traceparent: string): { traceId?: string; spanId?: string } {
  const [, traceId, spanId] = version00.exec(traceparent) ?? laterVersion.exec(traceparent) ?? [];
  return traceId && spanId ? { traceId, spanId } : {};
}
