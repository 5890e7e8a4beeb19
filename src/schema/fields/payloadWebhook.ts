import { loadWebhook } from '../../operations/webhooks.js';
import { builder } from '../builder.js';
import { Webhook } from '../types/Webhook.js';

/** Gives a mutation's payload the webhook of its `webhookId`. */
export const addWebhook = (payload: Parameters<typeof builder.objectField>[0]) =>
  builder.objectField(payload, 'webhook', (t) =>
    t.field({
      type: Webhook,
      description: 'The webhook.',
      resolve: ({ webhookId }: { webhookId: string }, _args, context) => loadWebhook(context, webhookId),
    }),
  );

/** Gives it the secret of its `secret`, which is in the outcome that a retry gets in no case. */
export const addSecret = (payload: Parameters<typeof builder.objectField>[0]) =>
  builder.objectField(payload, 'secret', (t) =>
    t.string({
      nullable: true,
      description:
        'The new secret, with which requests are signed. It cannot be shown again. Null if there is no new one, and in the ' +
        'replay of a request with an `Idempotency-Key`: have another one made then.',
      resolve: ({ secret }: { secret: string | null }) => secret,
    }),
  );
