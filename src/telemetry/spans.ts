import type { IncomingMessage } from 'node:http';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { RequestRecord } from './requestRecord.js';

// Without an SDK, which only the operator can load, the API does nothing. docs/operating.md, "Traces".
const tracer = (): Tracer => trace.getTracer('goalpost');

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

/** Starts the span of a statement, if its request has a span. Returns what ends it. */
export function startStatementSpan(
  { span: parent, isFinished }: RequestRecord,
  sql: string,
): ((error: unknown) => void) | undefined {
  if (!parent || isFinished) return undefined;
  const [verb = 'SQL'] = /^\w+/.exec(sql.trimStart()) ?? [];
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql };
  const span = tracer().startSpan(verb.toUpperCase(), { kind: SpanKind.CLIENT, attributes });
  return (error) => {
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
}
