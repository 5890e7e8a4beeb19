import { type QueuedEvent, sendWebhook } from '../../operations/sendWebhook.js';
import { builder } from '../builder.js';
import { addWebhook } from '../fields/payloadWebhook.js';

const SendWebhookInput = builder.inputType('SendWebhookInput', {
  description: 'The input of `sendWebhook`.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The ID of the webhook.' }),
    eventId: t.id({
      required: false,
      description: 'The ID of the event to send. If it is null or absent, a `ping` is sent.',
    }),
  }),
});

const SendWebhookPayload = builder.objectRef<QueuedEvent>('SendWebhookPayload').implement({
  description: 'The result of `sendWebhook`.',
  fields: (t) => ({
    eventId: t.exposeID('eventId', {
      description: 'The ID with which it arrives, and stands in the log of attempts.',
    }),
  }),
});

addWebhook(SendWebhookPayload);

builder.mutationField('sendWebhook', (t) =>
  t.field({
    type: SendWebhookPayload,
    description:
      'Sends a ping, or one event again, to a webhook, even if it is disabled: at once, and once. The result is in the log ' +
      'of attempts. Requires an owner of the company. Errors: OWNER_REQUIRED, NOT_FOUND, RATE_LIMITED, NOT_CONFIGURED.',
    args: {
      input: t.arg({ type: SendWebhookInput, required: true, description: 'The webhook, and what to send to it.' }),
    },
    resolve: (_root, { input }, context) => sendWebhook(context, input),
  }),
);
