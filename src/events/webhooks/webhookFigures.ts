import { Prisma } from '../../database/generated/client/client.js';
import type { SweepPart } from '../sweep.js';

const sweepsApart = 10;
const none = { active: 0, failing: 0, disabled: 0, lag: 0 };

/** How many webhooks of all companies there are in each state, and by how many events the slowest is behind. */
export type WebhookFigures = typeof none;

/** Reads the figures with every tenth sweep, as a part of it. */
export function webhookFigures(): SweepPart & { read: () => WebhookFigures } {
  let figures = none;
  let sweeps = 0;
  const select: SweepPart['select'] = (within) => {
    const isOfAll = within(Prisma.sql`w.company_id`).values.length === 0;
    sweeps += 1;
    if (!isOfAll || sweeps % sweepsApart !== 1) return undefined;
    return Prisma.sql`
      SELECT f.name AS company_id, f.number FROM (
        SELECT count(w.id) FILTER (WHERE w.disabled_at IS NOT NULL) AS disabled,
          count(w.id) FILTER (WHERE w.disabled_at IS NULL AND w.waits > 0) AS failing,
          count(w.id) FILTER (WHERE w.disabled_at IS NULL AND w.waits = 0) AS active,
          coalesce(max(c.last_sequence - w.position) FILTER (WHERE w.disabled_at IS NULL), 0) AS lag
        FROM webhooks w JOIN companies c ON c.id = w.company_id
      ) w CROSS JOIN LATERAL (
        VALUES ('disabled', w.disabled), ('failing', w.failing), ('active', w.active), ('lag', w.lag)
      ) AS f(name, number)`;
  };
  const onFound: SweepPart['onFound'] = (rows) => {
    if (rows.length === 0) return;
    figures = { ...none, ...Object.fromEntries(rows.map(({ companyId: name, number }) => [name, number])) };
  };
  return { select, onFound, read: () => figures };
}
