import type { WebhookWithSecret } from '../../operations/createWebhook.js';
import { updateWebhook } from '../../operations/updateWebhook.js';
import { checkedActions } from '../../operations/webhookInput.js';
import { builder } from '../builder.js';
import { addSecret, addWebhook } from '../fields/payloadWebhook.js';
import { ActivityAction } from '../types/Activity.js';
import { sequences } from './createWebhook.js';

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'The input of `updateWebhook`. What is absent stays as it is.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The ID of the webhook.' }),
    url: t.string({
      required: false,
      description:
        'Where to send events from now on: an https:// URL, as in `createWebhook`. If it is null or absent, the URL stays.',
      extensions: { maxLength: 2048 },
    }),
    actions: t.field({
      type: [ActivityAction],
      required: false,
      description:
        'The actions whose events to send. If it is null, those of all actions are sent; if it is absent, they stay.',
      extensions: { maxItems: 100 },
    }),
    enabled: t.boolean({
      required: false,
      description:
        'Whether to send events. An enabled webhook goes on where it was when it was disabled. If it is null or absent, that stays.',
    }),
    newSecret: t.boolean({ required: false, description: 'Whether to make a new secret. Default: false.' }),
    keepOldSecret: t.boolean({
      required: false,
      description: 'Whether the old secret signs too, for 24 hours after a new one is made. Default: true.',
    }),
    after: t.int({
      required: false,
      description:
        'The sequence of an event: everything after it is sent, again or for the first time. If it is null or absent, the webhook goes on where it is.',
      extensions: sequences,
    }),
  }),
});

const UpdateWebhookPayload = builder
  .objectRef<WebhookWithSecret>('UpdateWebhookPayload')
  .implement({ description: 'The result of `updateWebhook`.' });

addWebhook(UpdateWebhookPayload);
addSecret(UpdateWebhookPayload);

builder.mutationField('updateWebhook', (t) =>
  t.field({
    type: UpdateWebhookPayload,
    description:
      'Changes a webhook, gives it a new secret, or sends events again. Requires an owner of the company. Errors: ' +
      'BAD_USER_INPUT, OWNER_REQUIRED, NOT_FOUND, NOT_CONFIGURED.',
    extensions: { check: checkedActions, hasSecret: true },
    args: {
      input: t.arg({ type: UpdateWebhookInput, required: true, description: 'The webhook, and what to change of it.' }),
    },
    resolve: (_root, { input }, context) => updateWebhook(context, input),
  }),
);
