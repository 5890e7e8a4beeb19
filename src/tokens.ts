import { createHash, hash, randomBytes } from 'node:crypto';
import type { ApiToken } from './generated/client/client.js';
import { Cache } from './platform/caching/index.js';
import { failure } from './platform/failures/index.js';
import type { Grants } from './platform/http/index.js';
import {
  CircuitBreaker,
  type Database,
  DatabaseError,
  Prerequisite,
  type RequestScope,
  sql,
  toStatement,
  withShareOfDeadline,
} from './platform/postgres/index.js';
import { type Actor, isValidToken, itemsOf, type Surface } from './policies/access.js';

const bearer = /^bearer +(gp_[\w-]{43})$/i;

/** A text without the tokens that somebody put into it by mistake. */
export const withoutTokens = (text: string) => text.replace(/gp_[\w-]{20,}/g, 'gp_…');

/** The stored form of a token. The token itself never reaches the database. */
export const hashToken = (token: string) => Uint8Array.from(createHash('sha256').update(token).digest());

/** The hash, in base64, of the token in an `Authorization` header; undefined if that cannot be one. */
export function bearerHash(authorization = ''): string | undefined {
  const token = bearer.exec(authorization)?.[1];
  return token && hash('sha256', token, 'base64');
}

/** Requires a header `Authorization` with the scheme Bearer; what follows the scheme is for `bearerHash`. Throws 401. */
export function requireBearer(authorization: string | null): void {
  if (!authorization) throw failure('UNAUTHENTICATED', { header: 'missing' });
  if (!/^bearer(?: |$)/i.test(authorization)) throw failure('UNAUTHENTICATED', { header: 'notBearer' });
}

const listed = (items: readonly string[]) => [...new Set(items)].join(' ');

export interface NewToken {
  companyId: string;
  personId: string;
  name: string;
  canWrite?: boolean;
  /** The operations that it may run, if it may write; null for all. */
  scopes?: readonly string[] | null;
  /** Where it may be used; null for everywhere. */
  surfaces?: readonly Surface[] | null;
  expiresAt?: Date | null;
}

/** Creates a token for one person and stores its hash. Only the return value contains the token itself. */
export async function createToken(
  db: Database,
  { companyId, personId, name, canWrite = false, scopes = null, surfaces = null, expiresAt = null }: NewToken,
): Promise<{ id: string; token: string }> {
  const token = `gp_${randomBytes(32).toString('base64url')}`;
  const hash = hashToken(token);
  const [allowed, where] = [scopes && listed(scopes), surfaces && listed(surfaces)];
  const created = await db.$transaction(async (tx) => {
    await tx.$executeRaw`INSERT INTO token_companies (company_id, hash) VALUES (${companyId}, ${hash})`;
    const [row] = await tx.$queryRaw<{ id: string }[]>`
      INSERT INTO api_tokens (company_id, person_id, name, can_write, scopes, surfaces, expires_at, hash, last_four)
      VALUES (${companyId}, ${personId}, ${name}, ${canWrite}, ${allowed}, ${where}, ${expiresAt}, ${hash}, ${token.slice(-4)})
      RETURNING id`;
    if (!row) throw new DatabaseError('The database has not written the token: a trigger of it leaves the row out.');
    return row;
  });
  return { ...created, token };
}

interface FoundToken extends Pick<ApiToken, 'id' | 'companyId' | 'personId' | 'canWrite' | 'scopes' | 'surfaces'> {
  /** Whether its last use was written more than a minute ago, or never. */
  isUseDue: boolean;
}

/** For how long a use is not worth another write. */
const useMilliseconds = 60_000;
// Citus refuses now() within COALESCE.
const isUseDue = sql`(t.last_used_at IS NULL OR t.last_used_at <= now() - make_interval(secs => ${useMilliseconds / 1000}))`;

/** The company of a token, by its hash. Every node of a distributed database knows it, even if others are down. */
async function findCompany(db: Database, hash: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const [found] = await db.$queryRaw<{ companyId: string }[]>`
    SELECT company_id AS "companyId" FROM token_companies WHERE hash = ${hash}`;
  return found?.companyId;
}

/** Finds a token by its hash, with its person, unless it has expired, is revoked, or the person is suspended. */
async function findToken(
  db: Database,
  hash: Uint8Array<ArrayBuffer>,
  companyId: string,
): Promise<FoundToken | undefined> {
  const [found] = await db.$queryRaw<FoundToken[]>`
    SELECT t.id, t.company_id AS "companyId", t.person_id AS "personId", t.can_write AS "canWrite", t.scopes,
      t.surfaces, ${isUseDue} AS "isUseDue"
    FROM api_tokens t JOIN people p ON p.company_id = ${companyId} AND p.id = t.person_id
    WHERE t.company_id = ${companyId} AND t.hash = ${hash}
      AND ${isValidToken}`;
  return found;
}

/** Writes that a token is used now, unless a use within the last minute has been written. */
const writeUse = (db: Database, { companyId, id }: { companyId: string; id: string }): Promise<number> =>
  db.$executeRaw`
    UPDATE api_tokens t SET last_used_at = now() WHERE company_id = ${companyId} AND id = ${id} AND ${isUseDue}`;

/** The moment in that many milliseconds, by the clock of the database. */
export async function momentIn(db: Database, milliseconds: number): Promise<Date> {
  const [{ moment }] = await db.$queryRaw<[{ moment: Date }]>`
    SELECT now() + make_interval(secs => ${milliseconds / 1000}) AS moment`;
  return moment;
}

/** Fails unless the token is as it was found: an error, as a row would not keep what follows from being executed. */
const sameToken = ({ id, companyId, personId, canWrite, scopes, surfaces }: FoundToken) => sql`
  SELECT require_known_token(count(*)) AS "isKnown", bool_or(${isUseDue}) AS "isUseDue"
  FROM api_tokens t JOIN people p ON p.company_id = ${companyId} AND p.id = t.person_id
  WHERE t.company_id = ${companyId} AND t.id = ${id}
    AND ${isValidToken}
    AND t.person_id = ${personId} AND t.can_write = ${canWrite}
    AND t.scopes IS NOT DISTINCT FROM ${scopes}::text AND t.surfaces IS NOT DISTINCT FROM ${surfaces}::text`;

/** The SQLSTATE of `require_known_token`. */
const isNotKnown = (error: unknown) => (error as { code?: unknown } | null)?.code === 'GP401';

interface Caller extends Actor, Grants {}

const actorOf = ({ id: tokenId, companyId, personId }: FoundToken): Actor => ({ personId, companyId, tokenId });

const callerOf = (row: FoundToken): Caller => ({
  ...actorOf(row),
  canWrite: row.canWrite,
  scopes: itemsOf(row.scopes),
  surfaces: itemsOf(row.surfaces),
});

interface Authenticator {
  /**
   * Finds the person of a token, by its hash in base64. Fails with the same 401 if the token is malformed, unknown, expired or
   * revoked, or if its person is suspended. A request gets who it was last, and is checked: before anything that it does
   * with the database counts, that must still be so.
   */
  authenticate: (token: string | undefined, scope?: RequestScope) => Promise<Caller>;
  /** Whose token it was when it was looked up last; undefined if it was not valid. */
  principalOf: (token: string) => Actor | undefined;
}

/** About 30 MB, if so many are used. */
const tokensKept = 50_000;

/**
 * Looks up a token, so that a revocation counts at once. After its first use, it is looked up with the
 * first statement of each request, in one message. Records the last use of each token, to the minute.
 */
export function authenticator(database: Database): Authenticator {
  // Whose use this gateway has just recorded: requests that were under way meanwhile have not seen that.
  const recorded = new Cache<string, true>(tokensKept, { ttl: useMilliseconds });
  const found = new Cache<string, FoundToken>(tokensKept);
  const stalled = new CircuitBreaker();

  /** The request does not wait for this, which needs a connection of its own. If it fails, the next request with the token tries again. */
  function recordUse({ companyId, id }: { companyId: string; id: string }): void {
    const key = `${companyId} ${id}`;
    if (recorded.has(key)) return;
    recorded.set(key, true);
    writeUse(database, { companyId, id }).catch(() => recorded.delete(key));
  }

  async function lookUp(db: Database, token: string): Promise<FoundToken | undefined> {
    const hash = Uint8Array.from(Buffer.from(token, 'base64'));
    const companyId = await findCompany(db, hash);
    if (companyId === undefined) return undefined;
    const row = await stalled.ask(companyId, () => findToken(db, hash, companyId));
    if (row === 'refused') throw failure('SERVICE_UNAVAILABLE');
    if (row) found.set(token, row);
    else found.delete(token);
    if (row?.isUseDue) recordUse(row);
    return row;
  }

  const prerequisiteOf = (token: string, row: FoundToken, scope: RequestScope) =>
    new Prerequisite(toStatement(sameToken(row)), async (send) => {
      try {
        const result = await stalled.ask(row.companyId, send);
        if (result === 'refused') return failure('SERVICE_UNAVAILABLE');
        const [{ isUseDue: isDue }] = result.rows as [{ isUseDue: boolean }];
        if (isDue) recordUse(row);
        return undefined;
      } catch (error) {
        if (!isNotKnown(error)) throw error;
        found.delete(token);
        const row = await withShareOfDeadline(scope, 1, (part) => lookUp(database.within(part), token));
        // Whoever may do something else now is asked to come again.
        return row ? failure('SERVICE_UNAVAILABLE') : failure('UNAUTHENTICATED');
      }
    });

  const authenticate: Authenticator['authenticate'] = async (token, scope) => {
    if (token === undefined) throw failure('UNAUTHENTICATED');
    const known = found.get(token);
    if (known && scope) {
      scope.prerequisite = prerequisiteOf(token, known, scope);
      return callerOf(known);
    }
    const row = await lookUp(database.within(scope), token);
    if (!row) throw failure('UNAUTHENTICATED');
    return callerOf(row);
  };
  const principalOf = (token: string) => {
    const row = found.get(token);
    return row && actorOf(row);
  };
  return { authenticate, principalOf };
}
