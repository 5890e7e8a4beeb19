import type { IncomingMessage } from 'node:http';
import { failure } from '../failures/index.js';
import type { Client, Principal } from '../limits/index.js';
import type { RequestScope } from '../postgres/index.js';
import type { RequestRecord } from '../telemetry/index.js';
import type { Seat } from './admission.js';

export type Surface = 'rest' | 'graphql' | 'mcp';

/** What a token may do, whoever its person is. */
export interface Grants {
  canWrite: boolean;
  /** The operations that it may run, if it may write; null for all that there are and are to come. */
  scopes: readonly string[] | null;
  /** Where it may be used; null for everywhere. */
  surfaces: readonly string[] | null;
}

/** What is known about each request. Later phases add nothing to it: what they find out they return, or note in `record`. */
export interface RequestContext {
  readonly requestId: string;
  /** What the log and the metrics say of it. */
  readonly record: RequestRecord;
  /** Its use of the database. */
  readonly scope: RequestScope;
  /** Node's own request. */
  readonly req: IncomingMessage;
  /** What the request says of who sent it. */
  readonly client: Client;
  /** Undefined if every request is admitted. */
  readonly seat: Seat | undefined;
  readonly responseHeaders: Record<string, string>;
}

/** Who sent a request, and what the token may do. */
export interface Authenticated {
  readonly actor: Principal;
  readonly grants: Grants;
}

/** The same of a request that is a caller's, and counted. */
export interface CallerContext extends RequestContext, Authenticated {
  /** Where the token is used. */
  readonly surface: Surface;
  /** Counts the points that a document costs more than one, before it runs. Fails with 429. Undefined if nothing is counted. */
  readonly charge: ((points: number) => Promise<void>) | undefined;
}

/** A scope of its own for each surface, as it is named to those who lack it. */
const scopeOfSurface = (surface: string) => `surface:${surface}`;

/** Requires that a token may be used here. Throws 403. */
export function requireSurface({ surfaces }: Pick<Grants, 'surfaces'>, surface: Surface): void {
  if (!surfaces || surfaces.includes(surface)) return;
  throw failure('INSUFFICIENT_SCOPE', {
    missingScopes: [scopeOfSurface(surface)],
    grantedScopes: surfaces.map(scopeOfSurface),
  });
}

/** Requires a token that may write, and all that the request does. Throws 403. */
export function requireScopes({ canWrite, scopes }: Grants, needed: readonly string[]): void {
  if (!canWrite) throw failure('READ_ONLY_TOKEN');
  const missing = scopes ? [...new Set(needed)].filter((scope) => !scopes.includes(scope)) : [];
  if (missing.length > 0)
    throw failure('INSUFFICIENT_SCOPE', { missingScopes: missing, grantedScopes: [...(scopes ?? [])] });
}
