import type { IncomingMessage } from 'node:http';
import type { RequestScope } from '../database/query/requestScope.js';
import type { LogPosition } from '../database/servers/replicas/logPosition.js';
import type { Actor } from '../policies/access.js';
import type { RequestRecord } from '../telemetry/requestRecord.js';
import type { Client } from './limits/callers.js';
import type { RequestHead } from './requestHead.js';
import type { HttpResponse } from './response.js';

/** Reads a body. Before it buffers a chunk, checks whether there is memory for it, and otherwise fails with 503. */
export type ReadBody<T> = (take?: (bytes: number) => boolean) => Promise<T>;

/** What the pipeline knows about a request besides the request itself. */
export interface RequestContext {
  requestId: string;
  /** Omitted for queries that the gateway itself runs. */
  record?: RequestRecord;
  /** Its use of the database. Omitted for what waits as long as it takes. */
  scope?: RequestScope;
  /** Node's own request and response, if it came over a socket. */
  req?: IncomingMessage;
  /** What the request says of who sent it, if it came over a socket. */
  client?: Client | undefined;
  /** Reads the body, once the headers are in order. A client that sent `Expect: 100-continue` may send it then. */
  receiveBody?: <T>(read: ReadBody<T>) => Promise<T>;
  /** Headers for the response, whether the request succeeds or fails. */
  responseHeaders: Record<string, string>;
  /** The caller; with replicas, also the position of the primary's log at that time. */
  actor?: Actor & { position?: LogPosition | undefined };
}

/** Responds to a request of either surface. A step that does not respond passes the request to the next one. */
export type Handler = (request: RequestHead, context: RequestContext) => Promise<HttpResponse>;

/** A path and what a request to it needs. The router checks that in the order of docs/api.md, "Order of checks". */
export interface Route {
  path: string;
  /** What a request to it does, for the log and the metrics; its path if omitted. */
  operation?: string;
  methods: readonly string[];
  /** Matches only requests that prefer HTML, as browsers do. Other routes of the path handle the rest. */
  accepts?: 'text/html';
  /** Needs no token. */
  public?: boolean;
  /** A file that a page loads: no person types its path. */
  isFile?: boolean;
  /** The page about this path, which is not a page itself: browsers are redirected to it. */
  leadsTo?: string;
  /** Ignores rate limits: neither counts the request nor reports what is left. */
  unlimited?: boolean;
  /** Rejects read-only tokens before the body is read. */
  scope?: 'write';
  /** For every response to the route, also if a check rejects the request. */
  headers?: Readonly<Record<string, string>>;
  /** Omitted if GraphQL itself responds. */
  handle?: (request: RequestHead, context: RequestContext) => HttpResponse | Promise<HttpResponse>;
}
