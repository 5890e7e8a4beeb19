import type { Config } from '../../config/config.js';
import { UsageError } from '../usageError.js';
import { withDatabase } from '../withDatabase.js';

/** Revokes a token. The next request with it is rejected. */
export async function revokeToken(config: Config, id: string): Promise<void> {
  await withDatabase(config, async ({ db }) => {
    const { count } = await db.prisma.apiToken.updateMany({
      where: { id, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    if (count === 0)
      throw new UsageError(`no valid token has the id ${JSON.stringify(id)}; see npx goalpost token list`);
    console.log(`revoked ${id}`);
  });
}
