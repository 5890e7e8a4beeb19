import type { Span } from '@opentelemetry/api';
import type { GraphQLError } from 'graphql';
import type { RequestObserver } from '../database/query/requestScope.js';
import { type ErrorCode, isErrorCode } from '../errors/catalogue.js';
import { ProcessorTime } from './processorTime.js';
import { startStatementSpan } from './statementSpan.js';

/** Identifies the log lines of a request: its id, and its trace, if any. */
export interface Identity {
  requestId: string;
  traceId?: string;
  spanId?: string;
}

/** With what the log names a request that may have no record. */
export const loggedIdentity = ({ requestId, record }: { requestId: string; record?: RequestRecord }): Identity =>
  record?.identity ?? { requestId };

/** What is known about a request while it runs, for its log line, metrics and trace. It contains no secret. */
export class RequestRecord implements RequestObserver {
  readonly startedAt = performance.now();
  identity: Identity;
  method: string | undefined;
  /** Without the query string, and not longer than a line of the log needs. */
  path: string | undefined;
  /** The address of the client, or its network if that is IPv6; undefined if the log omits addresses. */
  client: string | undefined;
  /** The path of the route that handles the request. */
  route: string | undefined;
  /** The requested GraphQL fields or REST operation, otherwise the route: never text from a client. */
  operation = 'unknown';
  /** The name that the client gave to its GraphQL operation. */
  operationName: string | undefined;
  readonly codes = new Set<ErrorCode>();
  /** Why the request is not valid HTTP. */
  problem: string | undefined;
  statements = 0;
  /** How long PostgreSQL has worked on its statements, which may be several at once, in milliseconds. */
  databaseMilliseconds = 0;
  readonly processorTime = new ProcessorTime();
  /** How much of its work its token was charged. */
  chargedWork = 0;
  /** How often a statement or transaction was repeated after a conflict. */
  repetitions = 0;
  /** The kind of server that served a query, and the replica; undefined without replicas. */
  server: 'primary' | 'replica' | undefined;
  replica: string | undefined;
  /** Only if the request is traced. */
  span: Span | undefined;
  /** False for requests that the log only counts. */
  isLogged = true;
  isFinished = false;

  /** What it has cost so far, in milliseconds of PostgreSQL and of this process. */
  get work(): number {
    return this.databaseMilliseconds + this.processorTime.milliseconds;
  }

  constructor(identity: Identity) {
    this.identity = identity;
  }

  /** Notes why a request never reached the gateway. */
  addProblem(error: GraphQLError): void {
    this.problem = error.message;
    this.addErrors([error]);
  }

  addErrors(errors: readonly GraphQLError[]): void {
    for (const { extensions } of errors) {
      this.codes.add(isErrorCode(extensions.code) ? extensions.code : 'INTERNAL_SERVER_ERROR');
    }
  }

  beginStatement(sql: string): (error?: unknown) => void {
    this.statements += 1;
    const at = performance.now();
    const endSpan = this.isFinished ? undefined : startStatementSpan(this.span, sql);
    return (error) => {
      this.databaseMilliseconds += performance.now() - at;
      endSpan?.(error);
    };
  }

  beginWait(): void {
    this.processorTime.beginWait();
  }

  endWait(): void {
    this.processorTime.endWait();
  }

  countRepetition(): void {
    this.repetitions += 1;
  }
}
