import type { Config } from '../../config/config.js';
import { momentIn } from '../../database/tokens.js';
import { printable } from '../../telemetry/printable.js';
import { aligned } from '../aligned.js';
import { withDatabase } from '../withDatabase.js';

export interface ListTokensOptions {
  json?: boolean;
}

/** Prints one line for each token, newest first, in columns; with `json`, an array of objects. */
export async function listTokens(config: Config, { json = false }: ListTokensOptions): Promise<void> {
  await withDatabase(config, async ({ db }) => {
    const found = await db.apiToken.findMany({
      orderBy: [{ insertedAt: 'desc' }, { id: 'desc' }],
      include: { person: { select: { suspendedAt: true } } },
    });
    const now = await momentIn(db, 0);
    const tokens = found.map((token) => ({
      id: token.id,
      token: `gp_…${token.lastFour}`,
      access: token.canWrite ? 'write' : 'read-only',
      state: stateOf(token, now),
      companyId: token.companyId,
      personId: token.personId,
      lastUsedAt: token.lastUsedAt,
      expiresAt: token.expiresAt,
      insertedAt: token.insertedAt,
      name: token.name,
    }));
    if (json) {
      console.log(JSON.stringify(tokens, null, 2));
      return;
    }
    const rows = tokens.map(({ id, token, access, state, companyId, personId, lastUsedAt, expiresAt, name }) => {
      const shownState = state === 'valid' && expiresAt ? `until ${expiresAt.toISOString()}` : state;
      const lastUsed = lastUsedAt?.toISOString() ?? 'never';
      return [id, token, access, shownState, companyId, personId, lastUsed, name].map(printable);
    });
    console.log(aligned([['id', 'token', 'access', 'state', 'company', 'person', 'last used', 'name'], ...rows]));
  });
}

interface Validity {
  revokedAt: Date | null;
  expiresAt: Date | null;
  person: { suspendedAt: Date | null };
}

function stateOf({ revokedAt, expiresAt, person }: Validity, now: Date) {
  if (revokedAt) return 'revoked';
  if (expiresAt && expiresAt <= now) return 'expired';
  if (person.suspendedAt) return 'suspended';
  return 'valid';
}
