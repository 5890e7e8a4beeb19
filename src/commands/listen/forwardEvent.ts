import { signatureOf } from '../../events/webhooks/sending/signature.js';
import { version } from '../../version.js';
import { type ListenedEvent, lossReason } from './followEvents.js';

export interface Receiver {
  url: string;
  secret: string;
}

const timeout = 15_000;

/** Sends an event as a webhook does, once. Returns what came of it, for people. */
export async function forwardEvent(
  { id, body }: ListenedEvent,
  { url, secret }: Receiver,
  stopped: AbortSignal,
): Promise<string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const begun = performance.now();
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([stopped, AbortSignal.timeout(timeout)]),
      headers: {
        'content-type': 'application/json',
        'user-agent': `Goalpost/${version}`,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf([secret], id, timestamp, body),
        'goalpost-attempt': '1',
      },
      body,
    });
    await response.body?.cancel();
    return `${response.status} in ${Math.round(performance.now() - begun)} ms`;
  } catch (error) {
    return `no response: ${lossReason(error)}`;
  }
}
