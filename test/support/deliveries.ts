import { setTimeout as sleep } from 'node:timers/promises';
import { eventSource } from '../../src/events/source.js';
import { Dispatcher } from '../../src/platform/outbox/dispatcher.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { OpenAddresses } from '../../src/webhooks/addresses.js';
import { Deliverer } from '../../src/webhooks/deliverer.js';
import { openSender, type SenderOptions } from '../../src/webhooks/sender.js';
import { secretOf } from '../../src/webhooks/signature.js';
import { patience } from './eventually.js';
import type { Json, World } from './world.js';

export const webhookKey = 'a-key-for-webhooks-of-at-least-32-characters';
export const thisMachine = ['127.0.0.0/8', '::1/128'];

interface Options extends Partial<SenderOptions> {
  keys?: string[];
}

/** What numbers and delivers events in a process that serves, with connections and a log of its own. */
export function startDeliveries(world: World, { keys = [webhookKey], ...options }: Options = {}) {
  const log: Json[] = [];
  const logger = createLogger('info', { write: (line: string) => void log.push(JSON.parse(line)) });
  const { db, giveBack } = world.borrow(3);
  const dispatcher = new Dispatcher(db, eventSource, logger);
  const sender = openSender({ open: new OpenAddresses(thisMachine), ...options });
  const counted: [string, number | undefined][] = [];
  const count = (...entry: [string, number | undefined]) => void counted.push(entry);
  const deliverer = new Deliverer({
    db,
    dispatcher,
    sender,
    keys,
    logger,
    count,
  });
  dispatcher.start();
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    dispatcher.stop();
    await deliverer.stop();
    giveBack();
  };
  return {
    log,
    dispatcher,
    counted,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** The secret of a webhook that {@link startDeliveries} signs with. */
export const secretFor = (companyId: string, id: string, generation = 1) =>
  secretOf(webhookKey, { companyId, id, generation });

/** A webhook, as if an owner had made it. */
export async function insertWebhook(
  world: Pick<World, 'sql'>,
  companyId: string,
  url: string,
  values: Record<string, unknown> = {},
): Promise<string> {
  const row = { company_id: companyId, url, slot: 1, next_attempt_at: new Date(0), ...values };
  const columns = Object.keys(row);
  const [webhook] = await world.sql(
    `INSERT INTO webhooks (${columns.join(', ')}) VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')}) RETURNING id`,
    Object.values(row),
  );
  return webhook?.id;
}

/** Resolves with what was read once it is as expected. Fails after a while. */
export async function until<T>(
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  milliseconds = 3 * patience(),
): Promise<T> {
  const since = performance.now();
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    if (performance.now() - since > milliseconds) throw new Error(`still ${JSON.stringify(value)}`);
    await sleep(10);
  }
}
