import type { Database, Transaction } from './database/client.js';
import { hashToken, tokenFormat } from './database/tokens.js';
import { failure } from './errors/failures.js';
import type { Actor } from './policies/access.js';

/** What a resolver may use; a new one for each operation. */
export interface Context {
  /** The whole operation's transaction when it has an idempotency key. */
  db: Transaction;
  actor: Actor;
  now: Date;
  /** Address of the web application, for links to documents. */
  appUrl: string;
}

/** The person behind an `Authorization` header. Missing, malformed, unknown, expired, revoked or suspended: the same 401. */
export type Authenticate = (authorization: string | null) => Promise<Actor>;

const keepUseEvery = 60_000;

/** Reads `Authorization: Bearer <token>` in one statement, and keeps when a token was last used, to the minute. */
export function authenticator(db: Database, clock: () => Date): Authenticate {
  const keeping = new Set<string>();

  /** Off the request's path: nobody waits for it, and the next minute makes up for what it misses. */
  function keepUse(tokenId: string, now: Date): void {
    if (keeping.has(tokenId)) return;
    keeping.add(tokenId);
    const stale = new Date(now.getTime() - keepUseEvery);
    db.apiToken
      .updateMany({
        where: { id: tokenId, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: stale } }] },
        data: { lastUsedAt: now },
      })
      .catch(() => {})
      .finally(() => keeping.delete(tokenId));
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
    if (now.getTime() - (row.lastUsedAt?.getTime() ?? 0) >= keepUseEvery) keepUse(row.id, now);
    return { personId: row.person.id, companyId: row.person.companyId, tokenId: row.id, canWrite: row.canWrite };
  };
}
