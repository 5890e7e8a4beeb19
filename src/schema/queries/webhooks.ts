import { loadWebhooks } from '../../operations/webhooks.js';
import { builder } from '../builder.js';
import { Webhook } from '../types/Webhook.js';

builder.queryField('webhooks', (t) =>
  t.field({
    type: [Webhook],
    description:
      'Lists the webhooks of the company, at most 20, oldest first. Requires an owner of the company. Error: OWNER_REQUIRED.',
    resolve: (_root, _args, context) => loadWebhooks(context),
  }),
);
