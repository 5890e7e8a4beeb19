import { Prisma } from '../generated/client/client.js';
import type { Transaction } from '../platform/postgres/index.js';
import { printable } from '../platform/telemetry/index.js';
import type { Config } from '../settings.js';
import { UsageError } from './exitCode.js';
import { print, printJson } from './print.js';
import { aligned } from './token.js';
import { withDatabase } from './withDatabase.js';

/** A webhook of any company, as operators see it. */
interface ListedWebhook {
  id: string;
  companyId: string;
  url: string;
  state: 'active' | 'failing' | 'disabled';
  disabledReason: string | null;
  /** By how many events it is behind. */
  lag: bigint;
  failingSince: Date | null;
}

/** The webhooks of all companies, the one that is most behind first. */
const listWebhooks = (db: Transaction): Promise<ListedWebhook[]> =>
  db.$queryRaw<ListedWebhook[]>(Prisma.sql`
    SELECT w.id, w.company_id AS "companyId", w.url, w.disabled_reason AS "disabledReason",
      CASE WHEN w.disabled_at IS NOT NULL THEN 'disabled' WHEN w.waits > 0 THEN 'failing' ELSE 'active' END AS state,
      greatest(c.last_sequence - w.position, 0) AS lag, w.failing_since AS "failingSince"
    FROM webhooks w JOIN companies c ON c.id = w.company_id
    ORDER BY lag DESC, w.company_id, w.inserted_at, w.id`);

/** Disables the webhooks with this id that are not, and returns their number. */
const disableWebhook = (db: Transaction, id: string): Promise<number> =>
  db.$executeRaw(Prisma.sql`
    UPDATE webhooks SET disabled_at = now(), disabled_reason = 'operator' WHERE id = ${id} AND disabled_at IS NULL`);

export interface ShowWebhooksOptions {
  json?: boolean;
}

/** Prints one line for each webhook, the one that is most behind first; with `json`, an array of objects. */
export async function showWebhooks(config: Config, { json = false }: ShowWebhooksOptions): Promise<void> {
  await withDatabase(config, async ({ db }) => {
    const webhooks = (await listWebhooks(db)).map(({ lag, ...webhook }) => ({ ...webhook, lag: Number(lag) }));
    if (json) {
      printJson(webhooks);
      return;
    }
    const rows = webhooks.map(({ id, state, disabledReason, lag, failingSince, companyId, url }) => {
      const shownState = disabledReason === null ? state : `${state} (${disabledReason})`;
      return [id, shownState, String(lag), failingSince?.toISOString() ?? 'no', companyId, url].map(printable);
    });
    print(aligned([['id', 'state', 'lag', 'failing since', 'company', 'url'], ...rows]));
  });
}

/** Disables a webhook. Requests that are on their way may still arrive. */
export async function disableByOperator(config: Config, id: string): Promise<void> {
  await withDatabase(config, async ({ db }) => {
    if ((await disableWebhook(db, id)) === 0)
      throw new UsageError(`no enabled webhook has the id ${JSON.stringify(id)}; see npx goalpost webhook list`);
    print(`disabled ${id}`);
  });
}
