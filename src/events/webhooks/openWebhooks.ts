import type { Logger } from 'pino';
import type { Database } from '../../database/query/client.js';
import type { Pump } from '../pump.js';
import { Deliverer } from './deliverer.js';
import { OpenAddresses } from './sending/openAddresses.js';
import { Sender } from './sending/sender.js';
import type { CountAttempt } from './tools.js';

interface WebhookOptions {
  db: Database;
  pump: Pump;
  keys: readonly string[];
  allow: readonly string[];
  logger: Logger;
  count: CountAttempt;
}

/** Delivers to webhooks from now on, if there is a key. Returns what stops that, in three seconds at most. */
export function openWebhooks({ pump, allow, ...options }: WebhookOptions): () => Promise<void> {
  if (options.keys.length === 0) return async () => {};
  const deliverer = new Deliverer({ ...options, sender: new Sender({ open: new OpenAddresses(allow) }) });
  deliverer.start(pump);
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= deliverer.stop();
    return stopped;
  };
}
