import { version } from '../../../version.js';
import { type EventBody, eventBody } from '../../eventBody.js';
import type { Item, Taken } from '../taken.js';
import { signingSecrets } from './secrets.js';
import type { Message } from './sender.js';
import { signatureOf } from './signature.js';

/** What an owner has sent to try an endpoint. */
export type Ping = Pick<EventBody, 'id' | 'timestamp' | 'company_id'> & { type: 'ping' };

/** Which time an item is sent: 1 only if it was surely not sent before. */
export const attemptOf = ({ retry, mayHaveBeenSent }: Item): number =>
  Math.max((retry?.failures ?? 0) + 1, mayHaveBeenSent ? 2 : 1);

/** The body of a request, before it is JSON. */
export function bodyOf({ event, retry }: Item, companyId: string, clock: number): EventBody | Ping {
  if (event) return eventBody(event);
  const timestamp = new Date(clock * 1000).toISOString();
  return { id: retry?.id ?? '', type: 'ping', timestamp, company_id: companyId };
}

interface Sending {
  body: EventBody | Ping;
  attempt: number;
  /** Seconds since 1970. */
  clock: number;
  keys: readonly string[];
  owner: { companyId: string; id: string };
}

/** A request of Standard Webhooks. */
export function messageOf(
  { url, generation, hasPrevious }: Taken,
  { body, attempt, clock, keys, owner }: Sending,
): Message {
  const text = JSON.stringify(body);
  const timestamp = String(Math.floor(clock));
  const signature = signatureOf(signingSecrets(keys, { ...owner, generation, hasPrevious }), body.id, timestamp, text);
  const headers = (again: boolean) => ({
    'content-type': 'application/json',
    'user-agent': `Goalpost/${version}`,
    'webhook-id': body.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    'goalpost-attempt': String(again ? Math.max(attempt, 2) : attempt),
  });
  return { url, headers, body: text };
}
