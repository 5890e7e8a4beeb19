import type { IncomingMessage } from 'node:http';
import { failure } from '../failures/index.js';
import type { Client, Principal } from '../limits/index.js';
import type { RequestScope } from '../postgres/index.js';
import type { RequestRecord } from '../telemetry/index.js';

export type Surface = 'rest' | 'graphql' | 'mcp';

/** What a token may do, whoever its person is. */
export interface Grants {
  canWrite: boolean;
  /** The operations that it may run, if it may write; null for all that there are and are to come. */
  scopes: readonly string[] | null;
  /** Where it may be used; null for everywhere. */
  surfaces: readonly string[] | null;
}

/** Reads a body. Before it buffers a chunk, checks whether there is memory for it, and otherwise fails with 503. */
export type ReadBody<T> = (take?: (bytes: number) => boolean) => Promise<T>;

/** What the pipeline knows about a request besides the request itself. */
export interface RequestContext {
  requestId: string;
  record: RequestRecord;
  /** Its use of the database. Omitted for what waits as long as it takes. */
  scope?: RequestScope | undefined;
  /** Node's own request. */
  req: IncomingMessage;
  /** What the request says of who sent it. */
  client: Client;
  /** Reads the body, once the headers are in order. */
  receiveBody?: <T>(read: ReadBody<T>) => Promise<T>;
  /** The right to run, which others share. */
  seat?: { readonly isContended: boolean; changeFlow(): Promise<void>; leave(): void };
  responseHeaders: Record<string, string>;
  actor?: Principal | undefined;
  grants?: Grants;
  surface?: Surface;
  /** Counts the points that a document costs more than one, before it runs. Fails with 429. Omitted for what is not counted. */
  charge?: (points: number) => Promise<void>;
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

/** The scopes of a request that a token lacks, each once. */
const missingScopes = ({ scopes }: Pick<Grants, 'scopes'>, needed: readonly string[]): string[] =>
  scopes ? [...new Set(needed)].filter((scope) => !scopes.includes(scope)) : [];

/** Requires a token that may write, and all that the request does. Throws 403. */
export function requireScopes(grants: Grants | undefined, needed: readonly string[]): void {
  if (!grants?.canWrite) throw failure('READ_ONLY_TOKEN');
  const missing = missingScopes(grants, needed);
  if (missing.length > 0) {
    throw failure('INSUFFICIENT_SCOPE', { missingScopes: missing, grantedScopes: [...(grants.scopes ?? [])] });
  }
}
