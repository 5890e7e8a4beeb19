import {
  checkedActions,
  createWebhook,
  deleteWebhook,
  loadWebhook,
  type QueuedEvent,
  sendWebhook,
  updateWebhook,
  type WebhookWithSecret,
} from '../../operations/webhooks.js';
import { builder } from '../builder.js';
import { ActivityAction, EventOrigin } from '../events/activity.js';
import { Webhook } from './webhook.js';

/** The one scope of all that changes webhooks. */
const manages = { scope: 'manage_webhooks' };

/** Gives a mutation's payload the webhook of its `webhookId`. */
const addWebhook = (payload: Parameters<typeof builder.objectField>[0]) =>
  builder.objectField(payload, 'webhook', (t) =>
    t.field({
      type: Webhook,
      description: 'The webhook.',
      resolve: ({ webhookId }: { webhookId: string }, _args, context) => loadWebhook(context, webhookId),
    }),
  );

/** Gives it the secret of its `secret`, which is in the outcome that a retry gets in no case. */
const addSecret = (payload: Parameters<typeof builder.objectField>[0]) =>
  builder.objectField(payload, 'secret', (t) =>
    t.string({
      nullable: true,
      description:
        'The new secret, with which requests are signed. It cannot be shown again. Null if there is no new one, and in the ' +
        'replay of a request with an `Idempotency-Key`: have another one made then.',
      resolve: ({ secret }: { secret: string | null }) => secret,
    }),
  );

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
    exceptOrigins: t.field({
      type: [EventOrigin],
      required: false,
      description:
        'The origins whose events not to send, such as those that the receiver itself has written. If it is null or absent, none is left out.',
      extensions: { maxItems: 100 },
    }),
    after: t.field({
      type: 'BigInt',
      required: false,
      description:
        'The sequence of the event after which to start; 0 starts with the first event. If it is null or absent, the webhook starts now.',
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
    extensions: { ...manages, check: checkedActions, hasSecret: true },
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
    exceptOrigins: t.field({
      type: [EventOrigin],
      required: false,
      description: 'The origins whose events not to send. If it is null, none is left out; if it is absent, they stay.',
      extensions: { maxItems: 100 },
    }),
    enabled: t.boolean({
      required: false,
      description:
        'Whether to send events. An enabled webhook goes on where it was when it was disabled. If it is null or absent, that stays.',
    }),
    newSecret: t.boolean({
      required: false,
      defaultValue: false,
      description: 'Whether to make a new secret. Null is like false.',
    }),
    keepOldSecret: t.boolean({
      required: false,
      defaultValue: true,
      description:
        'Whether the old secret signs too, for 24 hours after a new one is made; false ends all old secrets at once, also ' +
        'without a new one. Null is like true.',
    }),
    after: t.field({
      type: 'BigInt',
      required: false,
      description:
        'The sequence of an event: everything after it is sent, again or for the first time. If it is null or absent, the webhook goes on where it is.',
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
      'BAD_USER_INPUT, OWNER_REQUIRED, NOT_FOUND, RATE_LIMITED, NOT_CONFIGURED.',
    extensions: { ...manages, check: checkedActions, hasSecret: true },
    args: {
      input: t.arg({ type: UpdateWebhookInput, required: true, description: 'The webhook, and what to change of it.' }),
    },
    resolve: (_root, { input }, context) => updateWebhook(context, input),
  }),
);

const DeleteWebhookInput = builder.inputType('DeleteWebhookInput', {
  description: 'The input of `deleteWebhook`.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The ID of the webhook.' }) }),
});

const DeleteWebhookPayload = builder.objectRef<{ id: string }>('DeleteWebhookPayload').implement({
  description: 'The result of `deleteWebhook`.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'The ID of the deleted webhook.' }) }),
});

builder.mutationField('deleteWebhook', (t) =>
  t.field({
    type: DeleteWebhookPayload,
    description:
      'Deletes a webhook and its log of attempts. Requires an owner of the company. Errors: OWNER_REQUIRED, NOT_FOUND.',
    extensions: manages,
    args: { input: t.arg({ type: DeleteWebhookInput, required: true, description: 'The webhook to delete.' }) },
    resolve: (_root, { input }, context) => deleteWebhook(context, input),
  }),
);

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
      description: 'The ID that it arrives with, and that the delivery log has.',
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
    extensions: manages,
    args: {
      input: t.arg({ type: SendWebhookInput, required: true, description: 'The webhook, and what to send to it.' }),
    },
    resolve: (_root, { input }, context) => sendWebhook(context, input),
  }),
);
