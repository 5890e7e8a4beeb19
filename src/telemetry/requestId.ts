import { randomUUID } from 'node:crypto';
import type { Identity } from './requestRecord.js';
import { traceOf } from './traceparent.js';

const validId = /^[\w.:/+=-]{1,128}$/;

/** The id of a request (the caller's `X-Request-Id` if valid) and the caller's trace. */
export function identify(header: (name: string) => unknown): Identity {
  const [given, traceparent] = ['x-request-id', 'traceparent'].map((name) => String(header(name) ?? ''));
  return { requestId: given && validId.test(given) ? given : randomUUID(), ...traceOf(traceparent ?? null) };
}
