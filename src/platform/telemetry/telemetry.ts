import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { RequestObserver } from '../postgres/index.js';

const validId = /^[\w.:/+=-]{1,128}$/;

/** The id of a request (the caller's `X-Request-Id` if it is valid and no secret) and the caller's trace. */
function identify(header: (name: string) => unknown, withoutSecrets: (text: string) => string): Identity {
  const [given = '', traceparent = ''] = ['x-request-id', 'traceparent'].map((name) => String(header(name) ?? ''));
  const isId = validId.test(given) && withoutSecrets(given) === given;
  return { requestId: isId ? given : randomUUID(), ...traceOf(traceparent) };
}

/** Only versions after 00 may say more at the end. */
const traceContext = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:$|-)/;

/** The caller's trace and span in a W3C `traceparent`, for the log; nothing if it is invalid. */
function traceOf(traceparent: string): { traceId?: string; spanId?: string } {
  const [, traceId, spanId] = traceContext.exec(traceparent) ?? [];
  return traceId && spanId ? { traceId, spanId } : {};
}

// Without an SDK, which only the operator can load, the API does nothing. docs/monitoring.md, "Traces".
const tracer = (): Tracer => trace.getTracer('goalpost');

/** Starts the span of a statement, if its request has a span. Returns what ends it. */
function startStatementSpan(parent: Span | undefined, sql: string): ((error: unknown) => void) | undefined {
  if (!parent) return undefined;
  const [verb = 'SQL'] = /^\w+/.exec(sql.trimStart()) ?? [];
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql };
  const span = tracer().startSpan(verb.toUpperCase(), { kind: SpanKind.CLIENT, attributes });
  return (error) => {
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
}

/** Identifies the log lines of a request: its id, and its trace, if any. */
export interface Identity {
  requestId: string;
  traceId?: string;
  spanId?: string;
}

/** What is known about a request while it runs, for its log line, metrics and trace. It contains no secret. */
export class RequestRecord implements RequestObserver {
  readonly startedAt = performance.now();
  method: string | undefined;
  /** Without the query string, and not longer than a line of the log needs. */
  path: string | undefined;
  /** The address of the client, or its network if that is IPv6. */
  client = '';
  /** The path of the route that handles the request. */
  route: string | undefined;
  /** The requested GraphQL fields or REST operation, otherwise the route: never text from a client. */
  operation = 'unknown';
  /** The name that the client gave to its GraphQL operation. */
  operationName: string | undefined;
  /** Whose request it is, once that is known. */
  actor: { personId: string; companyId: string; tokenId: string } | undefined;
  readonly codes = new Set<string>();
  /** Whether a change is committed, or was undone, and the activity that it has recorded. Undefined before. */
  change: { changed: boolean; activityId?: string } | undefined;
  /** Why the request is not valid HTTP. */
  problem: string | undefined;
  statements = 0;
  /** How often a statement or transaction was repeated after a conflict. */
  repetitions = 0;
  /** Only if the request is traced. */
  span: Span | undefined;
  /** False for requests that the log only counts. */
  isLogged = true;
  isFinished = false;

  constructor(public identity: Identity) {}

  /** Notes why a request never reached the gateway. */
  addProblem(error: GraphQLError): void {
    this.problem = error.message;
    this.addErrors([error]);
  }

  addErrors(errors: readonly GraphQLError[]): void {
    for (const { extensions } of errors) {
      this.codes.add(typeof extensions.code === 'string' ? extensions.code : 'INTERNAL_SERVER_ERROR');
    }
  }

  beginStatement(sql: string): ((error?: unknown) => void) | undefined {
    this.statements += 1;
    return this.isFinished ? undefined : startStatementSpan(this.span, sql);
  }

  countRepetition(): void {
    this.repetitions += 1;
  }
}

/** Starts the span of a request, as part of its caller's trace if it names one; none if nobody collects it. */
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

/** What the metrics are told of a request. */
export type CountRequest = (
  record: RequestRecord,
  outcome: {
    /** Omitted if the request was cut off. */
    status: number | undefined;
    seconds: number;
    isReplay: boolean;
  },
) => void;

interface TelemetryOptions {
  logger: Logger;
  /** A text as the log may show it. */
  withoutSecrets: (text: string) => string;
  /** If omitted, nothing is counted. */
  metrics?: { count: CountRequest } | undefined;
}

/** What is known about a request once it has its response. */
interface Outcome {
  req?: IncomingMessage;
  responseHeaders?: Readonly<Record<string, string>>;
}

/** Turns each request into one log line, one count in every metric, and one trace if traces are collected. */
export class Telemetry {
  constructor(private readonly options: TelemetryOptions) {}

  /** Starts the record of a request; of one that could not be read, without `req`. */
  begin(client: string, req?: IncomingMessage): RequestRecord {
    const record = new RequestRecord(identify((name) => req?.headers[name], this.options.withoutSecrets));
    record.method = req?.method;
    record.client = client;
    if (req) startSpan(record, req);
    return record;
  }

  /** Runs the work of a request, whose spans then belong to it. */
  run<T>(record: RequestRecord, work: () => T): T {
    return withSpan(record.span, work);
  }

  /** Reports a request, once, right before its response is sent; without a status if it never gets one. */
  finish(record: RequestRecord, status: number | undefined, { req, responseHeaders }: Outcome = {}): void {
    if (record.isFinished) return;
    record.isFinished = true;
    const { logger, metrics } = this.options;
    const { identity, actor, codes, repetitions } = record;
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
