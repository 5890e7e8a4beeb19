import { createHmac } from 'node:crypto';

/** The header `webhook-signature` of Standard Webhooks: a signature with each secret. */
export const signatureOf = (secrets: readonly string[], id: string, timestamp: string, body: string): string =>
  secrets
    .map((secret) => Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
