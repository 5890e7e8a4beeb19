import { createHash, randomBytes } from 'node:crypto';
import type { Database } from './client.js';

export const tokenFormat = /^gp_[A-Za-z0-9_-]{43}$/;

const newToken = () => `gp_${randomBytes(32).toString('base64url')}`;

/** The stored form of a token. The token itself never reaches the database. */
export const hashToken = (token: string) => Uint8Array.from(createHash('sha256').update(token).digest());

export interface NewToken {
  personId: string;
  name: string;
  canWrite?: boolean;
  expiresAt?: Date | null;
  token?: string;
}

/** Creates a token for one person and stores its hash. Only the return value contains the token itself. */
export async function createToken(
  db: Database,
  { personId, name, canWrite = false, expiresAt = null, token = newToken() }: NewToken,
): Promise<{ id: string; token: string }> {
  const { id } = await db.apiToken.create({
    data: { personId, name, canWrite, expiresAt, hash: hashToken(token), lastFour: token.slice(-4) },
    select: { id: true },
  });
  return { id, token };
}
