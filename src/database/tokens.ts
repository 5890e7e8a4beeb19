import { createHash, randomBytes } from 'node:crypto';
import type { Database } from './client.js';

export const tokenFormat = /^gp_[A-Za-z0-9_-]{43}$/;

const newToken = () => `gp_${randomBytes(32).toString('base64url')}`;

/** The stored form of a token. The token itself never reaches the database. */
export const hashToken = (token: string) => Uint8Array.from(createHash('sha256').update(token).digest());

export interface NewToken {
  companyId: string;
  personId: string;
  name: string;
  canWrite?: boolean;
  expiresAt?: Date | null;
  token?: string;
}

/** Creates a token for one person and stores its hash. Only the return value contains the token itself. */
export async function createToken(
  db: Database,
  { companyId, personId, name, canWrite = false, expiresAt = null, token = newToken() }: NewToken,
): Promise<{ id: string; token: string }> {
  const hash = hashToken(token);
  const [, { id }] = await db.$transaction([
    db.tokenCompany.create({ data: { companyId, hash }, select: { companyId: true } }),
    db.apiToken.create({
      data: { companyId, personId, name, canWrite, expiresAt, hash, lastFour: token.slice(-4) },
      select: { id: true },
    }),
  ]);
  return { id, token };
}

/** Finds a token with its person by its hash; in one statement, whether its company is known or not. */
export async function findToken(db: Database, hash: Uint8Array<ArrayBuffer>, companyId: string | undefined) {
  const select = {
    id: true,
    companyId: true,
    canWrite: true,
    expiresAt: true,
    revokedAt: true,
    lastUsedAt: true,
    person: { select: { id: true, suspendedAt: true } },
  } as const;
  if (companyId !== undefined)
    return db.apiToken.findUnique({ where: { companyId_hash: { companyId, hash } }, select });
  const found = await db.tokenCompany.findUnique({ where: { hash }, select: { token: { select } } });
  return found?.token;
}
