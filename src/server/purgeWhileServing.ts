import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { type PurgedFile, purgeFiles } from '../database/admin/purgeFiles.js';
import { purgeRegularly } from '../database/admin/purgeRegularly.js';
import { purgeOutcomes } from '../database/idempotencyKeys.js';
import type { Database } from '../database/query/client.js';
import { endLongPauses } from '../events/webhooks/endLongPauses.js';
import { purgeAttempts } from '../events/webhooks/purgeAttempts.js';

/** Connections for the demo's import and the purges, which may take longer than a request. */
export const maintenancePoolSize = 2;

/**
 * Removes expired outcomes of idempotency keys, attempts of webhooks older than WEBHOOK_LOG_DAYS, and for good the files
 * that were deleted more than FILE_RETENTION_DAYS ago, which it logs. Ends pauses of webhooks that a clock has made too
 * long. Returns what stops that.
 */
export function purgeWhileServing(
  { fileRetentionDays: days, webhookLogDays }: Pick<Config, 'fileRetentionDays' | 'webhookLogDays'>,
  db: Database,
  logger: Logger,
): () => Promise<void> {
  const onPurged = (files: PurgedFile[]) => {
    for (const { id, companyId, name, url } of files) logger.info({ id, companyId, name, url }, 'removed for good');
  };
  const purges: (() => Promise<unknown>)[] = [
    () => purgeOutcomes(db),
    () => purgeAttempts(db, webhookLogDays),
    () => endLongPauses(db),
  ];
  if (days !== undefined) purges.push(() => purgeFiles(db, days * 86_400_000, onPurged));
  return purgeRegularly(purges, (error) => logger.error({ err: error }, 'cannot purge'));
}
