import type { Database, Transaction } from './database/client.js';
import { hashToken, tokenFormat } from './database/tokens.js';
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

/** Looks up `Authorization: Bearer <token>` in one statement, and records the last use of each token, to the minute. */
export function authenticator(db: Database, clock: () => Date): Authenticate {
  const recording = new Set<string>();

  /** The request does not wait for this. If it fails, the next request with the token tries again. */
  function recordUse(tokenId: string, now: Date): void {
    if (recording.has(tokenId)) return;
    recording.add(tokenId);
    const stale = new Date(now.getTime() - recordUseEvery);
    db.apiToken
      .updateMany({
        where: { id: tokenId, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: stale } }] },
        data: { lastUsedAt: now },
      })
      .catch(() => {})
      .finally(() => recording.delete(tokenId));
  }

  return async (authorization) => {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token || !tokenFormat.test(token)) throw failure('UNAUTHENTICATED');
    const row = await db.apiToken.findUnique({
      where: { hash: hashToken(token) },
      select: {
        id: true,
        canWrite: true,
        expiresAt: true,
        revokedAt: true,
        lastUsedAt: true,
        person: { select: { id: true, companyId: true, suspendedAt: true } },
      },
    });
    const now = clock();
    if (!row || row.revokedAt || row.person.suspendedAt) throw failure('UNAUTHENTICATED');
    if (row.expiresAt && row.expiresAt <= now) throw failure('UNAUTHENTICATED');
    if (now.getTime() - (row.lastUsedAt?.getTime() ?? 0) >= recordUseEvery) recordUse(row.id, now);
    return { personId: row.person.id, companyId: row.person.companyId, tokenId: row.id, canWrite: row.canWrite };
  };
}
