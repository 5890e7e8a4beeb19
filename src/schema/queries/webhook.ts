import { loadWebhook } from '../../operations/webhooks.js';
import { builder } from '../builder.js';
import { Webhook } from '../types/Webhook.js';

builder.queryField('webhook', (t) =>
  t.field({
    type: Webhook,
    nullable: true,
    description:
      'Looks up a webhook of the company. Requires an owner of the company. Errors: OWNER_REQUIRED, NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the webhook.' }) },
    resolve: (_root, { id }, context) => loadWebhook(context, id),
  }),
);
