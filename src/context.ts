import { LRUCache } from 'lru-cache';
import type { Database, Transaction } from './database/query/client.js';
import { type LogPosition, readPosition } from './database/servers/replicas/logPosition.js';
import { StalledCompanies } from './database/stalledCompanies.js';
import { findCompany, findToken, hashToken, tokenFormat, useMilliseconds, writeUse } from './database/tokens.js';
import { failure, type NamedFields } from './errors/failures.js';
import type { Actor } from './policies/access.js';

/** What a resolver may use. Each operation gets a new one. */
export interface Context extends NamedFields {
  /** The database; for a request with an Idempotency-Key, the transaction of the whole operation. */
  db: Transaction;
  actor: Actor;
  now: Date;
  /** Address of the web application, for links to documents. */
  appUrl: string;
  /** The most characters in the response. Omitted if it cannot be long, or if the gateway itself has chosen its fields. */
  responseCharacters?: number;
}

/** Who asks, and how far the log of the primary had come by then. What was acknowledged before lies before that. */
interface Caller extends Actor {
  position?: LogPosition | undefined;
}

/**
 * Finds the person of an `Authorization` header. Fails with the same 401 if the token is missing, malformed, unknown,
 * expired or revoked, or if its person is suspended.
 */
export type Authenticate = (authorization: string | null) => Promise<Caller>;

const tokensKept = 10_000;

/**
 * Looks up `Authorization: Bearer <token>` on the primary, so that a revocation counts at once; after its first use in one
 * statement. Records the last use of each token, to the minute.
 */
export function authenticator(db: Database, options = { withPosition: false }): Authenticate {
  // Whose use this gateway has just recorded: requests that were under way meanwhile have not seen that.
  const recorded = new LRUCache<string, true>({ max: tokensKept, ttl: useMilliseconds });
  // The company of a token never changes.
  const companies = new LRUCache<string, string>({ max: tokensKept });
  const stalled = new StalledCompanies();

  /** The request does not wait for this. If it fails, the next request with the token tries again. */
  function recordUse({ companyId, id }: { companyId: string; id: string }): void {
    const key = `${companyId} ${id}`;
    if (recorded.has(key)) return;
    recorded.set(key, true);
    writeUse(db, { companyId, id }).catch(() => recorded.delete(key));
  }

  return async (authorization) => {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token || !tokenFormat.test(token)) throw failure('UNAUTHENTICATED');
    const hash = hashToken(token);
    const key = Buffer.from(hash).toString('base64');
    const companyId = companies.get(key) ?? (await findCompany(db, hash));
    if (companyId === undefined) throw failure('UNAUTHENTICATED');
    companies.set(key, companyId);
    const row = await stalled.ask(companyId, () => findToken(db, hash, companyId, options));
    if (row === 'refused') throw failure('SERVICE_UNAVAILABLE');
    if (!row) throw failure('UNAUTHENTICATED');
    if (row.isUseDue) recordUse(row);
    const position = readPosition(row.position);
    return { personId: row.personId, companyId: row.companyId, tokenId: row.id, canWrite: row.canWrite, position };
  };
}
