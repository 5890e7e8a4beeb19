import { Prisma } from '../../database/generated/client/client.js';
import type { SweepPart } from '../sweep.js';
import { latestEnd } from './lease.js';

/** How many sweeps look for what is due, for each that looks for events that nobody delivers. */
const thoroughEvery = 10;

/**
 * The companies with webhooks that have work: retries that are due, and leases of gateways that died. Every tenth sweep also
 * finds events that a gateway has numbered and not delivered, because it died in between.
 */
export function dueWebhooks(): SweepPart['select'] {
  let sweeps = 0;
  return (within) => {
    const company = within(Prisma.sql`w.company_id`);
    const due = Prisma.sql`
      SELECT w.company_id, 0 AS number FROM webhooks w WHERE w.due_at <= now() AND ${company}
      UNION SELECT w.company_id, 0 FROM webhooks w WHERE w.lease_until <= now() AND ${company}
      UNION SELECT w.company_id, 0 FROM webhooks w WHERE w.lease_until > ${latestEnd} AND ${company}`;
    sweeps += 1;
    if (sweeps % thoroughEvery !== 0) return due;
    return Prisma.sql`${due}
      UNION SELECT w.company_id, 0 FROM webhooks w JOIN companies c ON c.id = w.company_id
      WHERE w.disabled_at IS NULL AND w.wait_until IS NULL AND w.position < c.last_sequence AND ${company}`;
  };
}
