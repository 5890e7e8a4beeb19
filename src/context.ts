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

const useIsKeptEvery = 60_000;

/**
 * The person behind `Authorization: Bearer <token>`, in one statement.
 * Missing, malformed, unknown, expired, revoked or suspended: the same 401.
 */
export async function authenticate(db: Database, request: Request, now: Date): Promise<Actor> {
  const token = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
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
  if (!row || row.revokedAt || row.person.suspendedAt) throw failure('UNAUTHENTICATED');
  if (row.expiresAt && row.expiresAt <= now) throw failure('UNAUTHENTICATED');
  if (now.getTime() - (row.lastUsedAt?.getTime() ?? 0) >= useIsKeptEvery) rememberUse(db, row.id, now);
  return { personId: row.person.id, companyId: row.person.companyId, tokenId: row.id, canWrite: row.canWrite };
}

const remembering = new Set<string>();

/** Off the request's path: nobody waits for it, and what it misses the next minute makes up for. */
function rememberUse(db: Database, tokenId: string, now: Date): void {
  if (remembering.has(tokenId)) return;
  remembering.add(tokenId);
  const stale = new Date(now.getTime() - useIsKeptEvery);
  db.apiToken
    .updateMany({
      where: { id: tokenId, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: stale } }] },
      data: { lastUsedAt: now },
    })
    .catch(() => {})
    .finally(() => remembering.delete(tokenId));
}
