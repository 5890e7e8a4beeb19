import { createHmac } from 'node:crypto';
import type { OutboxEvent } from '../platform/outbox/index.js';
import { version } from '../version.js';
import type { Taken } from './queue.js';
import type { Message } from './sender.js';

/** A webhook, and which of its secrets. */
interface SecretOwner {
  companyId: string;
  id: string;
  /** How often its secret has changed, from 1. */
  generation: number;
}

const prefix = 'whsec_';

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

/** The body of a request, before it is JSON. The record of a ping is its ID. */
export function bodyOf({ event, record: id }: Taken, companyId: string, clock: number): OutboxEvent['body'] | Ping {
  return event?.body ?? { id, type: 'ping', timestamp: new Date(clock * 1000).toISOString(), company_id: companyId };
}

interface Sending {
  body: OutboxEvent['body'] | Ping;
  /** The number of the attempt, which differs if it is sent again. */
  number: (isSentAgain: boolean) => number;
  /** Seconds since 1970. */
  clock: number;
  keys: readonly string[];
  owner: { companyId: string; id: string };
}

/** What the headers of a request say. */
interface Sent {
  id: string;
  /** Seconds since 1970. */
  timestamp: string;
  signature: string;
  attempt: number;
}

interface WebhookHeader {
  /** What it says, for documents. */
  description: string;
  example: string;
  value: (sent: Sent) => string;
}

/** The headers of requests to webhooks by name: what is sent, and what documents say of it. */
export const webhookHeaders: Record<string, WebhookHeader> = {
  'webhook-id': {
    description: 'The ID of the event, the same in every attempt and in a replay: what has it already is a duplicate.',
    example: '0199…',
    value: ({ id }) => id,
  },
  'webhook-timestamp': {
    description: 'When the attempt was made, in seconds since 1970.',
    example: '1767225600',
    value: ({ timestamp }) => timestamp,
  },
  'webhook-signature': {
    description: 'A signature of Standard Webhooks, `v1,…`, for each valid secret, with spaces between them.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    value: ({ signature }) => signature,
  },
  'goalpost-attempt': {
    description: 'Which attempt it is; 1 guarantees that the event was not sent before.',
    example: '1',
    value: ({ attempt }) => String(attempt),
  },
};

/** A request of Standard Webhooks. */
export function messageOf({ url, generation, older }: Taken, { body, number, clock, keys, owner }: Sending): Message {
  const text = JSON.stringify(body);
  const timestamp = String(Math.floor(clock));
  const signature = signatureOf(signingSecrets(keys, { ...owner, generation, older }), body.id, timestamp, text);
  const headers = (again: boolean) => {
    const sent = { id: body.id, timestamp, signature, attempt: number(again) };
    return {
      'content-type': 'application/json',
      'user-agent': `Goalpost/${version}`,
      ...Object.fromEntries(Object.entries(webhookHeaders).map(([name, { value }]) => [name, value(sent)])),
    };
  };
  return { url, headers, body: text };
}
