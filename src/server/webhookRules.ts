import { addressOf } from '../config/addressOf.js';
import type { Config } from '../config/config.js';
import type { Job } from './workerMessages.js';

/** What the settings allow webhooks. The demo may send webhooks to programs on this machine. */
export function webhookRules({ webhookKeys, webhookAllow, publicUrl, host, port }: Config, demo: Job['demo']) {
  const own = [...(publicUrl ? [publicUrl] : []), ...(port === 0 ? [] : [addressOf(host, port)])];
  if (!demo) return { keys: webhookKeys, allow: webhookAllow, own };
  const keys = webhookKeys.length > 0 ? webhookKeys : [demo.webhookKey];
  return { keys, allow: [...webhookAllow, ...thisMachine], own };
}

const thisMachine = ['127.0.0.0/8', '::1/128'];
