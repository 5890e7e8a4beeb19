import { capitalized } from '../operations/declaration.js';
import { webhookScope } from '../policies/access.js';
import { builder } from '../schema/builder.js';
import { type InputFields, mutationField } from '../schema/changes.js';
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

const actionsOf = (t: InputFields, description: string) =>
  t.field({ type: [ActivityAction], required: false, description, extensions: { maxItems: 100 } });

const exceptOriginsOf = (t: InputFields, description: string) =>
  t.field({ type: [EventOrigin], required: false, description, extensions: { maxItems: 100 } });

mutationField(
  'createWebhook',
  {
    payload: secretPayload('createWebhook'),
    description:
      'Creates a webhook: the events of the company are sent to its URL. Requires an owner of the company. Errors: ' +
      'BAD_USER_INPUT, OWNER_REQUIRED, TOO_MANY_WEBHOOKS, NOT_CONFIGURED.',
    extensions: { ...manages, check: checkedActions, hasSecret: true },
    input: 'The URL, and which events to send to it.',
    fields: (t: InputFields) => ({
      url: t.string({
        required: true,
        description: 'Where to send events: an https:// URL of a public address, without credentials and fragment.',
        extensions: { maxLength: 2048 },
      }),
      actions: actionsOf(
        t,
        'The actions whose events to send. If it is null or absent, those of all actions are sent.',
      ),
      exceptOrigins: exceptOriginsOf(
        t,
        'The origins whose events not to send, such as those that the receiver itself has written. If it is null or absent, none is left out.',
      ),
      afterSequence: t.field({
        type: 'SafeInt',
        required: false,
        description:
          'The sequence of the event after which to start; 0 starts with the first event. If it is null or absent, the webhook starts now.',
      }),
    }),
  },
  createWebhook,
);

mutationField(
  'updateWebhook',
  {
    payload: webhookPayload('updateWebhook'),
    description:
      'Changes a webhook. Requires an owner of the company. Errors: BAD_USER_INPUT, OWNER_REQUIRED, NOT_FOUND.',
    extensions: { ...manages, check: checkedActions },
    input: 'The webhook, and what to change of it.',
    ofInput: ' What is absent stays as it is.',
    fields: (t: InputFields) => ({
      ...ofWebhook(t),
      url: t.string({
        required: false,
        description:
          'Where to send events from now on: an https:// URL, as in `createWebhook`. If it is null or absent, the URL stays.',
        extensions: { maxLength: 2048 },
      }),
      actions: actionsOf(
        t,
        'The actions whose events to send. If it is null, those of all actions are sent; if it is absent, they stay.',
      ),
      exceptOrigins: exceptOriginsOf(
        t,
        'The origins whose events not to send. If it is null, none is left out; if it is absent, they stay.',
      ),
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
  },
  updateWebhook,
);

mutationField(
  'rotateWebhookSecret',
  {
    payload: secretPayload('rotateWebhookSecret'),
    description:
      'Gives a webhook a new secret. Requires an owner of the company. Errors: OWNER_REQUIRED, NOT_FOUND, RATE_LIMITED, ' +
      'NOT_CONFIGURED.',
    extensions: { ...manages, hasSecret: true },
    input: 'The webhook, and what becomes of the old secret.',
    fields: (t: InputFields) => ({
      ...ofWebhook(t),
      endOldSecrets: t.boolean({
        required: false,
        description:
          'Whether all old secrets end at once. Null or absent is like false: each old one signs too, for 24 hours.',
      }),
    }),
  },
  rotateWebhookSecret,
);

mutationField(
  'replayWebhook',
  {
    payload: webhookPayload('replayWebhook'),
    description:
      'Sends all events after one again, in their order. Requires an owner of the company. Errors: BAD_USER_INPUT, ' +
      'OWNER_REQUIRED, NOT_FOUND.',
    extensions: manages,
    input: 'The webhook, and where to begin.',
    fields: (t: InputFields) => ({
      ...ofWebhook(t),
      afterSequence: t.field({
        type: 'SafeInt',
        required: true,
        description: 'The sequence of an event: everything after it is sent, again or for the first time; 0 for all.',
      }),
    }),
  },
  replayWebhook,
);

mutationField(
  'deleteWebhook',
  {
    payload: builder.objectRef<{ id: string }>('DeleteWebhookPayload').implement({
      description: 'The result of `deleteWebhook`.',
      fields: (t) => ({ id: t.exposeID('id', { description: 'The ID of the deleted webhook.' }) }),
    }),
    description:
      'Deletes a webhook and its log of attempts. Requires an owner of the company. Errors: OWNER_REQUIRED, NOT_FOUND.',
    extensions: manages,
    input: 'The webhook to delete.',
    fields: ofWebhook,
  },
  deleteWebhook,
);

mutationField(
  'pingWebhook',
  {
    payload: queuedPayload('pingWebhook'),
    description:
      'Sends a ping to a webhook, even if it is disabled: at once, and once. The result is in the log of attempts. Requires ' +
      'an owner of the company. Errors: OWNER_REQUIRED, NOT_FOUND, RATE_LIMITED, NOT_CONFIGURED.',
    extensions: manages,
    input: 'The webhook to try.',
    fields: ofWebhook,
  },
  pingWebhook,
);

mutationField(
  'redeliverWebhookEvent',
  {
    payload: queuedPayload('redeliverWebhookEvent'),
    description:
      'Sends one event again to a webhook, even if it is disabled: at once, and once. The result is in the log of attempts. ' +
      'Requires an owner of the company. Errors: OWNER_REQUIRED, NOT_FOUND, RATE_LIMITED, NOT_CONFIGURED.',
    extensions: manages,
    input: 'The webhook, and the event.',
    fields: (t: InputFields) => ({
      ...ofWebhook(t),
      eventId: t.id({ required: true, description: 'The ID of the event to send.' }),
    }),
  },
  redeliverWebhookEvent,
);
