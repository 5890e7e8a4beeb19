import { createWebhook, type WebhookWithSecret } from '../../operations/createWebhook.js';
import { checkedActions } from '../../operations/webhookInput.js';
import { builder } from '../builder.js';
import { addSecret, addWebhook } from '../fields/payloadWebhook.js';
import { ActivityAction } from '../types/Activity.js';

/** The sequences that an input takes. */
export const sequences = { minimum: 0, maximum: 2_147_483_647 };

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'The input of `createWebhook`.',
  fields: (t) => ({
    url: t.string({
      required: true,
      description: 'Where to send events: an https:// URL of a public address, without credentials and fragment.',
      extensions: { maxLength: 2048 },
    }),
    actions: t.field({
      type: [ActivityAction],
      required: false,
      description: 'The actions whose events to send. If it is null or absent, those of all actions are sent.',
      extensions: { maxItems: 100 },
    }),
    after: t.int({
      required: false,
      description:
        'The sequence of the event after which to start; 0 starts with the first event. If it is null or absent, the webhook starts now.',
      extensions: sequences,
    }),
  }),
});

const CreateWebhookPayload = builder
  .objectRef<WebhookWithSecret>('CreateWebhookPayload')
  .implement({ description: 'The result of `createWebhook`.' });

addWebhook(CreateWebhookPayload);
addSecret(CreateWebhookPayload);

builder.mutationField('createWebhook', (t) =>
  t.field({
    type: CreateWebhookPayload,
    description:
      'Creates a webhook: the events of the company are sent to its URL. Requires an owner of the company. Errors: ' +
      'BAD_USER_INPUT, OWNER_REQUIRED, TOO_MANY_WEBHOOKS, NOT_CONFIGURED.',
    extensions: { check: checkedActions, hasSecret: true },
    args: {
      input: t.arg({
        type: CreateWebhookInput,
        required: true,
        description: 'The URL, and which events to send to it.',
      }),
    },
    resolve: (_root, { input }, context) => createWebhook(context, input),
  }),
);
