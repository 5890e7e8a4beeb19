import { capitalized } from '../operations/declaration.js';
import { webhookScope } from '../policies/access.js';
import { builder } from '../schema/builder.js';
import type { InputFields } from '../schema/changes.js';
import { ActivityAction, EventOrigin } from '../schema/events/activity.js';
import {
  type ChangedWebhook,
  checkedActions,
  createWebhook,
  deleteWebhook,
  loadWebhook,
  pingWebhook,
  type QueuedEvent,
  redeliverWebhookEvent,
  replayWebhook,
  rotateWebhookSecret,
  updateWebhook,
  type WebhookWithSecret,
} from './operations.js';
import { Webhook } from './types.js';

const manages = { scope: webhookScope };

/** The payload of a mutation: the webhook of its `webhookId`. */
const webhookPayload = <Outcome extends ChangedWebhook>(mutation: string) =>
  builder.objectRef<Outcome>(`${capitalized(mutation)}Payload`).implement({
    description: `The result of \`${mutation}\`.`,
    fields: (t) => ({
      webhook: t.field({
        type: Webhook,
        description: 'The webhook.',
        resolve: ({ webhookId }, _args, context) => {
          context.noteChange?.(null);
          return loadWebhook(context, webhookId);
        },
      }),
    }),
  });

/** The same with a secret, which is in the outcome that a retry gets in no case. */
function secretPayload(mutation: string) {
  const payload = webhookPayload<WebhookWithSecret>(mutation);
  builder.objectField(payload, 'secret', (t) =>
    t.exposeString('secret', {
      nullable: true,
      description:
        'The new secret, with which requests are signed. It cannot be shown again. Null in the replay of a request with an ' +
        '`Idempotency-Key`: have another one made then.',
    }),
  );
  return payload;
}

/** The same of what sends one event. */
function queuedPayload(mutation: string) {
  const payload = webhookPayload<QueuedEvent>(mutation);
  builder.objectField(payload, 'eventId', (t) =>
    t.exposeID('eventId', { description: 'The ID that it arrives with, and that the delivery log has.' }),
  );
  return payload;
}

const ofWebhook = (t: InputFields) => ({ id: t.id({ required: true, description: 'The ID of the webhook.' }) });

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
    afterSequence: t.field({
      type: 'SafeInt',
      required: false,
      description:
        'The sequence of the event after which to start; 0 starts with the first event. If it is null or absent, the webhook starts now.',
    }),
  }),
});

builder.mutationField('createWebhook', (t) =>
  t.field({
    type: secretPayload('createWebhook'),
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
    ...ofWebhook(t),
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
    endOldSecrets: t.boolean({
      required: false,
      description: 'Whether all old secrets end at once, which else sign for 24 hours. Null or absent is like false.',
    }),
  }),
});

builder.mutationField('updateWebhook', (t) =>
  t.field({
    type: webhookPayload('updateWebhook'),
    description:
      'Changes a webhook. Requires an owner of the company. Errors: BAD_USER_INPUT, OWNER_REQUIRED, NOT_FOUND.',
    extensions: { ...manages, check: checkedActions },
    args: {
      input: t.arg({ type: UpdateWebhookInput, required: true, description: 'The webhook, and what to change of it.' }),
    },
    resolve: (_root, { input }, context) => updateWebhook(context, input),
  }),
);

const RotateWebhookSecretInput = builder.inputType('RotateWebhookSecretInput', {
  description: 'The input of `rotateWebhookSecret`.',
  fields: (t) => ({
    ...ofWebhook(t),
    endOldSecrets: t.boolean({
      required: false,
      description:
        'Whether all old secrets end at once. Null or absent is like false: each old one signs too, for 24 hours.',
    }),
  }),
});

builder.mutationField('rotateWebhookSecret', (t) =>
  t.field({
    type: secretPayload('rotateWebhookSecret'),
    description:
      'Gives a webhook a new secret. Requires an owner of the company. Errors: OWNER_REQUIRED, NOT_FOUND, RATE_LIMITED, ' +
      'NOT_CONFIGURED.',
    extensions: { ...manages, hasSecret: true },
    args: {
      input: t.arg({
        type: RotateWebhookSecretInput,
        required: true,
        description: 'The webhook, and what becomes of the old secret.',
      }),
    },
    resolve: (_root, { input }, context) => rotateWebhookSecret(context, input),
  }),
);

const ReplayWebhookInput = builder.inputType('ReplayWebhookInput', {
  description: 'The input of `replayWebhook`.',
  fields: (t) => ({
    ...ofWebhook(t),
    afterSequence: t.field({
      type: 'SafeInt',
      required: true,
      description: 'The sequence of an event: everything after it is sent, again or for the first time; 0 for all.',
    }),
  }),
});

builder.mutationField('replayWebhook', (t) =>
  t.field({
    type: webhookPayload('replayWebhook'),
    description:
      'Sends all events after one again, in their order. Requires an owner of the company. Errors: BAD_USER_INPUT, ' +
      'OWNER_REQUIRED, NOT_FOUND.',
    extensions: manages,
    args: {
      input: t.arg({ type: ReplayWebhookInput, required: true, description: 'The webhook, and where to begin.' }),
    },
    resolve: (_root, { input }, context) => replayWebhook(context, input),
  }),
);

const DeleteWebhookInput = builder.inputType('DeleteWebhookInput', {
  description: 'The input of `deleteWebhook`.',
  fields: ofWebhook,
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

const PingWebhookInput = builder.inputType('PingWebhookInput', {
  description: 'The input of `pingWebhook`.',
  fields: ofWebhook,
});

builder.mutationField('pingWebhook', (t) =>
  t.field({
    type: queuedPayload('pingWebhook'),
    description:
      'Sends a ping to a webhook, even if it is disabled: at once, and once. The result is in the log of attempts. Requires ' +
      'an owner of the company. Errors: OWNER_REQUIRED, NOT_FOUND, RATE_LIMITED, NOT_CONFIGURED.',
    extensions: manages,
    args: { input: t.arg({ type: PingWebhookInput, required: true, description: 'The webhook to try.' }) },
    resolve: (_root, { input }, context) => pingWebhook(context, input),
  }),
);

const RedeliverWebhookEventInput = builder.inputType('RedeliverWebhookEventInput', {
  description: 'The input of `redeliverWebhookEvent`.',
  fields: (t) => ({
    ...ofWebhook(t),
    eventId: t.id({ required: true, description: 'The ID of the event to send.' }),
  }),
});

builder.mutationField('redeliverWebhookEvent', (t) =>
  t.field({
    type: queuedPayload('redeliverWebhookEvent'),
    description:
      'Sends one event again to a webhook, even if it is disabled: at once, and once. The result is in the log of attempts. ' +
      'Requires an owner of the company. Errors: OWNER_REQUIRED, NOT_FOUND, RATE_LIMITED, NOT_CONFIGURED.',
    extensions: manages,
    args: {
      input: t.arg({ type: RedeliverWebhookEventInput, required: true, description: 'The webhook, and the event.' }),
    },
    resolve: (_root, { input }, context) => redeliverWebhookEvent(context, input),
  }),
);
