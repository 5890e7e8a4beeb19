import { printable } from '../platform/telemetry/index.js';
import type { Config } from '../settings.js';
import { disableWebhook, listWebhooks } from '../webhooks/index.js';
import { UsageError } from './exitCode.js';
import { aligned, print, printJson } from './print.js';
import { withDatabase } from './withDatabase.js';

/** Prints one line for each webhook, the one that is most behind first; with `json`, an array of objects. */
export async function showWebhooks(config: Config, { json = false }: { json?: boolean }): Promise<void> {
  await withDatabase(config, async ({ db }) => {
    const webhooks = await listWebhooks(db);
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
