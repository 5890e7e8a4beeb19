import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';
import { identify, RequestRecord, tracer } from './requestRecord.js';

/**
 * Starts the span of a request, as part of its caller's trace if it names one. Nothing starts if no one collects it.
 */
function startSpan(record: RequestRecord, { method = '', headers }: IncomingMessage): void {
  const span = tracer().startSpan(
    method,
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
    callerOf(headers),
  );
  if (!span.isRecording()) return;
  record.span = span;
  const { traceId, spanId } = span.spanContext();
  record.identity = { ...record.identity, traceId, spanId };
}

/** The trace of the caller. Which headers name it, and how they are read, is up to what the operator has loaded. */
function callerOf(headers: IncomingHttpHeaders): Context {
  try {
    return propagation.extract(ROOT_CONTEXT, headers);
  } catch {
    // What the caller sent cannot be read: it has no trace.
    return ROOT_CONTEXT;
  }
}

/** Runs work in a span, which becomes the parent of spans started in it. */
const withSpan = <T>(span: Span | undefined, work: () => T): T =>
  span ? context.with(trace.setSpan(context.active(), span), work) : work();

/** Ends the span of a request. */
function endSpan({ span, method, path, route, operation, identity, codes }: RequestRecord, status = 0): void {
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

interface TelemetryOptions {
  logger: Logger;
  /** A text as the log may show it. */
  withoutSecrets: (text: string) => string;
  /** If omitted, nothing is counted. */
  metrics?: Metrics | undefined;
  /** The address of a client for the log. If omitted, the log has none. */
  addressOf?: ((socket: Socket, headers: IncomingHttpHeaders) => string) | undefined;
}

/** What is known about a request once it has its response. */
interface Outcome {
  actor?: { personId: string; companyId: string; tokenId: string } | undefined;
  req?: IncomingMessage;
  responseHeaders?: Readonly<Record<string, string>>;
}

/** Turns each request into one log line, one count in every metric, and one trace if traces are collected. */
export class Telemetry {
  readonly #options: TelemetryOptions;

  constructor(options: TelemetryOptions) {
    this.#options = options;
  }

  /** Starts the record of a request; of one that could not be read, without `req`. */
  begin({ req, socket }: { req?: IncomingMessage; socket: Socket }): RequestRecord {
    const record = new RequestRecord(identify((name) => req?.headers[name], this.#options.withoutSecrets));
    record.method = req?.method;
    record.client = this.#options.addressOf?.(socket, req?.headers ?? {});
    if (req) startSpan(record, req);
    return record;
  }

  /** Runs the work of a request, whose spans then belong to it. */
  run<T>(record: RequestRecord, work: () => T): T {
    return withSpan(record.span, work);
  }

  /** Reports a request, once, right before its response is sent; without a status if it never gets one. */
  finish(record: RequestRecord, status: number | undefined, { actor, req, responseHeaders }: Outcome = {}): void {
    if (record.isFinished) return;
    record.isFinished = true;
    const { logger, metrics } = this.#options;
    const { identity, codes, repetitions } = record;
    const isReplay = responseHeaders?.['Idempotency-Replayed'] === 'true';
    const milliseconds = performance.now() - record.startedAt;
    // One literal without spreads, which would take five times as long. Undefined fields are omitted.
    const line = {
      requestId: identity.requestId,
      traceId: identity.traceId,
      spanId: identity.spanId,
      method: record.method,
      path: record.path,
      operation: record.operation,
      operationName: record.operationName,
      client: record.client,
      personId: actor?.personId,
      companyId: actor?.companyId,
      tokenId: actor?.tokenId,
      status,
      codes: codes.size > 0 ? [...codes] : undefined,
      problem: record.problem,
      milliseconds: Math.round(milliseconds * 10) / 10,
      statements: record.statements,
      repetitions: repetitions || undefined,
      replayed: isReplay || undefined,
      cutOff: status === undefined || undefined,
      clientGone: (req && isGone(req)) || undefined,
    };
    if (record.isLogged) logger.info(line, 'request');
    metrics?.count(record, { status, seconds: milliseconds / 1000, isReplay });
    endSpan(record, status);
  }
}

const isGone = ({ socket, destroyed, complete }: IncomingMessage) => socket.destroyed || (destroyed && !complete);
