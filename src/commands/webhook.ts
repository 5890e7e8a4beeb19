import type { Config } from '../config/config.js';
import { disableWebhook, listWebhooks } from '../database/admin/webhooks.js';
import { printable } from '../telemetry/printable.js';
import { aligned } from './aligned.js';
import { UsageError } from './usageError.js';
import { withDatabase } from './withDatabase.js';

export interface ShowWebhooksOptions {
  json?: boolean;
}

/** Prints one line for each webhook, the one that is most behind first; with `json`, an array of objects. */
export async function showWebhooks(config: Config, { json = false }: ShowWebhooksOptions): Promise<void> {
  await withDatabase(config, async ({ db }) => {
    const webhooks = (await listWebhooks(db)).map(({ lag, ...webhook }) => ({ ...webhook, lag: Number(lag) }));
    if (json) {
      console.log(JSON.stringify(webhooks, null, 2));
      return;
    }
    const rows = webhooks.map(({ id, state, disabledReason, lag, failingSince, companyId, url }) => {
      const shownState = disabledReason === null ? state : `${state} (${disabledReason})`;
      return [id, shownState, String(lag), failingSince?.toISOString() ?? 'no', companyId, url].map(printable);
    });
    console.log(aligned([['id', 'state', 'lag', 'failing since', 'company', 'url'], ...rows]));
  });
}

/** Disables a webhook. Requests that are on their way may still arrive. */
export async function disableByOperator(config: Config, id: string): Promise<void> {
  await withDatabase(config, async ({ db }) => {
    if ((await disableWebhook(db, id)) === 0)
      throw new UsageError(`no enabled webhook has the id ${JSON.stringify(id)}; see npx goalpost webhook list`);
    console.log(`disabled ${id}`);
  });
}
