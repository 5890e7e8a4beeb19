import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Actor } from '../policies/access.js';

/** What the pipeline knows of one HTTP request, beside the request itself. */
export interface RequestContext {
  requestId: string;
  /** The request as Node has it, when it came over a socket. */
  req?: IncomingMessage;
  /** Headers of the answer, whatever it will be. */
  responseHeaders: Record<string, string>;
  actor?: Actor;
  /** The arguments were checked before GraphQL saw them. */
  inputIsChecked?: true;
  /** Why GraphQL is not to look at the request at all. */
  refusal?: GraphQLError;
}

/** One step of the pipeline, kept as a Yoga plugin. */
export type Step = Plugin<RequestContext, RequestContext>;

/** A path and what it takes to get in; the router checks it in the order of docs/api.md, "Order of checks". */
export interface Route {
  path: string;
  methods: readonly string[];
  /** Answers only those who ask for a page, as browsers do; the other routes of the path answer everyone else. */
  accepts?: 'text/html';
  /** Answers without a token. */
  public?: boolean;
  /** Has nothing to do with rate limits, not even a look at what is left. */
  unlimited?: boolean;
  /** Refuses read-only tokens before anything is read. */
  scope?: 'write';
  /** Left out where GraphQL itself answers. */
  handle?: (request: Request, context: RequestContext) => Response | Promise<Response>;
}
