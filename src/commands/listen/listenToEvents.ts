import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/config.js';
import { printable } from '../../telemetry/printable.js';
import { followEvents, type ListenedEvent } from './followEvents.js';
import { forwardEvent, type Receiver } from './forwardEvent.js';
import { type ListenOptions, readListenOptions } from './readListenOptions.js';

/** Prints one line for each event, and sends it on, until it is stopped. What is no event goes to stderr. */
export async function listenToEvents(config: Config, options: ListenOptions): Promise<void> {
  const { gateway, wanted, forwardTo } = await readListenOptions(config, options);
  const receiver = forwardTo && { url: forwardTo, secret: `whsec_${randomBytes(32).toString('base64')}` };
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort());
  let isLost = false;
  let last = wanted.after;
  const notes = {
    onListening: () => {
      console.error(isLost ? 'Listening again.' : `Listening to ${printable(gateway.url)}. Stop with Ctrl-C.`);
      if (!isLost && receiver) console.error(`Forwarding to ${receiver.url}, signed with ${receiver.secret}`);
      isLost = false;
    },
    onLost: (reason: string) => {
      if (!isLost) console.error(`Not connected: ${printable(reason)}. Trying again.`);
      isLost = true;
    },
    onCursor: (cursor: string) => {
      last = cursor;
    },
  };
  for await (const event of followEvents(gateway, wanted, stopping.signal, notes)) {
    console.log(lineOf(event));
    if (receiver) await forward(event, receiver, stopping.signal);
  }
  if (last !== undefined) console.error(`Go on from here with --after ${printable(last)}`);
}

const lineOf = ({ timestamp, sequence, type, id }: ListenedEvent): string =>
  [timestamp, `#${sequence}`, type, id].map(printable).join('  ');

async function forward(event: ListenedEvent, receiver: Receiver, stopped: AbortSignal): Promise<void> {
  const outcome = await forwardEvent(event, receiver, stopped);
  console.log(`  ${printable(outcome)}`);
}
