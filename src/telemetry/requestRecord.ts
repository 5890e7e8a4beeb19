import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from '@opentelemetry/api';
import type { GraphQLError } from 'graphql';
import { repetitionChannel, statementChannel } from '../database/query/statements.js';
import { type ErrorCode, isErrorCode } from '../errors/catalogue.js';

/** Identifies the log lines of a request: its id, and its trace, if any. */
export interface Identity {
  requestId: string;
  traceId?: string;
  spanId?: string;
}

/** What is known about a request while it runs, for its log line, metrics and trace. It contains no secret. */
export class RequestRecord {
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
}

/** The request that the running code belongs to. */
export const currentRequest = new AsyncLocalStorage<RequestRecord>();

statementChannel.start.subscribe(() => {
  const record = currentRequest.getStore();
  if (record) record.statements += 1;
});

repetitionChannel.subscribe(() => {
  const record = currentRequest.getStore();
  if (record) record.repetitions += 1;
});
