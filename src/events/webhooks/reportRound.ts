import type { Logger } from 'pino';
import type { Lease } from './lease.js';
import type { Progress } from './record.js';

interface Seen {
  /** How often the endpoint had waited before the round. */
  waits: number;
  /** When the round began, by `performance.now()`. */
  start: number;
}

/** Logs what a round has sent, and warns when an endpoint begins to fail, recovers, or is disabled. */
export function reportRound(logger: Logger, { companyId, webhookId }: Lease, progress: Progress, seen: Seen): void {
  const { attempts, position, waits, disabled } = progress;
  const webhook = { webhookId, companyId };
  const count = (outcome: string) => attempts.filter((attempt) => attempt.outcome === outcome).length;
  if (attempts.length > 0) {
    const [acknowledged, failed, givenUp] = [count('acknowledged'), count('failed'), count('given_up')];
    const milliseconds = Math.round(performance.now() - seen.start);
    logger.info({ ...webhook, acknowledged, failed, givenUp, position, milliseconds }, 'webhook round');
  }
  const last = attempts.findLast(({ outcome }) => outcome !== 'acknowledged');
  const reason = last?.reason ?? (last?.status === undefined ? undefined : `status ${last.status}`);
  if (disabled) logger.warn({ ...webhook, disabled, reason }, 'a webhook is disabled');
  else if (waits > 0 && seen.waits === 0) logger.warn({ ...webhook, reason }, 'a webhook fails, and waits');
  else if (waits === 0 && seen.waits > 0) logger.warn(webhook, 'a webhook has recovered');
}
