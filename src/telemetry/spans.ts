import type { IncomingMessage } from 'node:http';
import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { RequestRecord } from './requestRecord.js';
import { tracer } from './statementSpan.js';

/**
 * Starts the span of a request, as part of its caller's trace if it names one. Nothing starts if no one collects it.
 */
export function startSpan(record: RequestRecord, { method = '', headers }: IncomingMessage): void {
  const parent = propagation.extract(ROOT_CONTEXT, headers);
  const span = tracer().startSpan(
    method,
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
    parent,
  );
  if (!span.isRecording()) return;
  record.span = span;
  const { traceId, spanId } = span.spanContext();
  record.identity = { ...record.identity, traceId, spanId };
}

/** Runs work in a span, which becomes the parent of spans started in it. */
export const withSpan = <T>(span: Span | undefined, work: () => T): T =>
  span ? context.with(trace.setSpan(context.active(), span), work) : work();

/** Ends the span of a request. */
export function endSpan({ span, method, path, route, operation, identity, codes }: RequestRecord, status = 0): void {
  if (!span) return;
  const [code] = codes;
  span.updateName(`${method} ${route ?? 'unknown'}`);
  span.setAttributes({
    'goalpost.operation': operation,
    'goalpost.request_id': identity.requestId,
    ...(status > 0 && { 'http.response.status_code': status }),
    ...(path && { 'url.path': path }),
    ...(route && { 'http.route': route }),
    ...(code && { 'error.type': code }),
  });
  if (status === 0 || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Runs a GraphQL operation in a child span, if its request has a span. */
export async function inOperationSpan<T>(type: string, fields: string, execute: () => T | Promise<T>): Promise<T> {
  const name = `${type} ${fields}`;
  const attributes = { 'graphql.operation.type': type };
  const span = tracer().startSpan(name, { kind: SpanKind.INTERNAL, attributes });
  try {
    return await withSpan(span, execute);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
