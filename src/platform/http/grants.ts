import { failure } from '../failures/index.js';

/** Where a token is used. */
export type Surface = 'rest' | 'graphql' | 'mcp';

/** What a token may do, whoever its person is. */
export interface Grants {
  canWrite: boolean;
  /** The operations that it may run, if it may write; null for all that there are and are to come. */
  scopes: readonly string[] | null;
  /** Where it may be used; null for everywhere. */
  surfaces: readonly string[] | null;
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
