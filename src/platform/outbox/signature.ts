import { createHmac } from 'node:crypto';
import type { Claim, Item } from './claim.js';
import type { Message } from './sender.js';
import type { OutboxEvent } from './source.js';

/** A webhook, and which of its secrets. */
interface SecretOwner {
  companyId: string;
  id: string;
  /** How often its secret has changed, from 1. */
  generation: number;
}

const prefix = 'whsec_';

/** Whether a text is a secret of Standard Webhooks. */
export const isSecret = (text: string): boolean => text.startsWith(prefix);

/** The secret of a webhook under one key. It is stored nowhere: it can be derived again. */
export const secretOf = (key: string, { companyId, id, generation }: SecretOwner): string =>
  `${prefix}${createHmac('sha256', key)
    .update(JSON.stringify(['webhook', companyId, id, generation]))
    .digest('base64')}`;

/** Every secret that signs now: with each key, that of this generation and those of the `older` ones that are kept. */
export const signingSecrets = (keys: readonly string[], owner: SecretOwner & { older: readonly number[] }): string[] =>
  keys.flatMap((key) =>
    [owner.generation, ...owner.older].map((generation) => secretOf(key, { ...owner, generation })),
  );

/** The header `webhook-signature` of Standard Webhooks: a signature with each secret. */
export const signatureOf = (secrets: readonly string[], id: string, timestamp: string, body: string): string =>
  secrets
    .map((secret) => Buffer.from(secret.replace(prefix, ''), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');

/** What an owner has sent to try an endpoint. */
interface Ping {
  id: string;
  type: 'ping';
  timestamp: string;
  company_id: string;
}

/** Which time an item is sent: 1 guarantees that it was not sent before. */
export const attemptOf = ({ retry, mayHaveBeenSent }: Item): number =>
  Math.max((retry?.failures ?? 0) + 1, mayHaveBeenSent ? 2 : 1);

/** The body of a request, before it is JSON. */
export function bodyOf({ event, retry }: Item, companyId: string, clock: number): OutboxEvent['body'] | Ping {
  if (event) return event.body;
  const timestamp = new Date(clock * 1000).toISOString();
  return { id: retry?.id ?? '', type: 'ping', timestamp, company_id: companyId };
}

/** Who sends, as `User-Agent` and the header with the number of the attempt name it. */
export interface Product {
  name: string;
  version: string;
}

interface Sending {
  body: OutboxEvent['body'] | Ping;
  attempt: number;
  /** Seconds since 1970. */
  clock: number;
  keys: readonly string[];
  product: Product;
  owner: { companyId: string; id: string };
}

/** A request of Standard Webhooks. */
export function messageOf({ url, generation, older }: Claim, sending: Sending): Message {
  const { body, attempt, clock, keys, product, owner } = sending;
  const text = JSON.stringify(body);
  const timestamp = String(Math.floor(clock));
  const signature = signatureOf(signingSecrets(keys, { ...owner, generation, older }), body.id, timestamp, text);
  const headers = (again: boolean) => ({
    'content-type': 'application/json',
    'user-agent': `${product.name}/${product.version}`,
    'webhook-id': body.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    [`${product.name.toLowerCase()}-attempt`]: String(again ? Math.max(attempt, 2) : attempt),
  });
  return { url, headers, body: text };
}
