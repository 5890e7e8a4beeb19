import { LRUCache } from 'lru-cache';
import type { Database, Transaction } from './database/client.js';
import { StalledCompanies } from './database/stalledCompanies.js';
import { findCompany, findToken, hashToken, tokenFormat } from './database/tokens.js';
import { failure } from './errors/failures.js';
import type { Actor } from './policies/access.js';

/** What a resolver may use. Each operation gets a new one. */
export interface Context {
  /** The database; for a request with an Idempotency-Key, the transaction of the whole operation. */
  db: Transaction;
  actor: Actor;
  now: Date;
  /** Address of the web application, for links to documents. */
  appUrl: string;
}

/**
 * Finds the person of an `Authorization` header. Fails with the same 401 if the token is missing, malformed, unknown,
 * expired or revoked, or if its person is suspended.
 */
export type Authenticate = (authorization: string | null) => Promise<Actor>;

const recordUseEvery = 60_000;
const companiesKept = 10_000;

/**
 * Looks up `Authorization: Bearer <token>`, after its first use in one statement, and records the last use of each token,
 * to the minute.
 */
export function authenticator(db: Database, clock: () => Date): Authenticate {
  const recording = new Set<string>();
  // The company of a token never changes.
  const companies = new LRUCache<string, string>({ max: companiesKept });
  const stalled = new StalledCompanies();

  /** The request does not wait for this. If it fails, the next request with the token tries again. */
  function recordUse({ companyId, id }: { companyId: string; id: string }, now: Date): void {
    const key = `${companyId} ${id}`;
    if (recording.has(key)) return;
    recording.add(key);
    const stale = new Date(now.getTime() - recordUseEvery);
    db.apiToken
      .updateMany({
        where: { companyId, id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: stale } }] },
        data: { lastUsedAt: now },
      })
      .catch(() => {})
      .finally(() => recording.delete(key));
  }

  return async (authorization) => {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token || !tokenFormat.test(token)) throw failure('UNAUTHENTICATED');
    const hash = hashToken(token);
    const key = Buffer.from(hash).toString('base64');
    const companyId = companies.get(key) ?? (await findCompany(db, hash));
    if (companyId === undefined) throw failure('UNAUTHENTICATED');
    companies.set(key, companyId);
    const row = await stalled.ask(companyId, () => findToken(db, hash, companyId));
    if (row === 'refused') throw failure('SERVICE_UNAVAILABLE');
    const now = clock();
    if (!row || row.revokedAt || row.suspendedAt) throw failure('UNAUTHENTICATED');
    if (row.expiresAt && row.expiresAt <= now) throw failure('UNAUTHENTICATED');
    if (now.getTime() - (row.lastUsedAt?.getTime() ?? 0) >= recordUseEvery) recordUse(row, now);
    return { personId: row.personId, companyId: row.companyId, tokenId: row.id, canWrite: row.canWrite };
  };
}
