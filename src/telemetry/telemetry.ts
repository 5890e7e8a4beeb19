import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';
import { type Identity, RequestRecord } from './requestRecord.js';
import { endSpan, startSpan, withSpan } from './spans.js';

interface TelemetryOptions {
  logger: Logger;
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
  begin(identity: Identity, { req, socket }: { req?: IncomingMessage; socket: Socket }): RequestRecord {
    const record = new RequestRecord(identity);
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
      replica: record.replica,
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
