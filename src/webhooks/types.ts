import { type CursorKind, type List, rowsOfRecord } from '../lists/engine.js';
import type { Actor } from '../policies/access.js';
import { builder, enumOf, keyColumns } from '../schema/builder.js';
import { checkedPage, connectionType, pageArguments, pagesOf } from '../schema/connections.js';
import { ActivityAction, EventOrigin } from '../schema/events/activity.js';
import { loadWebhook, loadWebhooks, type Webhook as WebhookRow } from './operations.js';

const webhookAttemptCursor: CursorKind = { name: 'webhook.attempts', key: 'timestamptz' };

/** The attempts of each webhook in the scopes, newest first. */
const webhookAttemptList = (actor: Actor): List =>
  rowsOfRecord(actor, { ...webhookAttemptCursor, table: 'webhook_attempts', of: 'webhook_id', by: 'attempted_at' });

const WebhookAttemptOutcome = enumOf<string>('WebhookAttemptOutcome', 'What came of an attempt.', {
  acknowledged: 'The endpoint responded with a status from 200 to 299.',
  failed: 'It did not. The event is sent again, unless it was asked for by `pingWebhook` or `redeliverWebhookEvent`.',
  given_up: 'It did not, after its last retry. The event is not sent again.',
});

const WebhookAttempt = builder.prismaObject('WebhookAttempt', {
  select: keyColumns,
  description: 'A request to a webhook, and what came of it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the attempt.' }),
    eventId: t.exposeID('eventId', {
      description: 'The ID of the event, which is that of the activity; or of the ping.',
    }),
    type: t.exposeString('type', { description: 'The type of the event, such as `goal.reopened`, or `ping`.' }),
    sequence: t.expose('sequence', {
      type: 'SafeInt',
      nullable: true,
      description: 'The number of the event among those of the company. Null for a ping.',
    }),
    attempt: t.exposeInt('attempt', {
      description: 'The number in the header `goalpost-attempt`: 1 guarantees that the event was not sent before.',
    }),
    outcome: t.expose('outcome', { type: WebhookAttemptOutcome, description: 'What came of it.' }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'The status of the response, a number from 100 to 599. Null if none came.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why no response came. Null if one came.' }),
    milliseconds: t.exposeInt('milliseconds', { description: 'The number of milliseconds that it took.' }),
    response: t.exposeString('response', {
      nullable: true,
      description: 'The beginning of the response to a failure, at most 1,000 characters. Null if there is none.',
    }),
    attemptedAt: t.expose('attemptedAt', { type: 'DateTime', description: 'When it was recorded.' }),
  }),
});

const WebhookState = enumOf('WebhookState', 'Whether a webhook gets events.', {
  active: 'It gets each event as soon as it happens.',
  failing: 'Its endpoint has failed since its last success, and is tried from time to time.',
  disabled: 'It gets nothing until an owner enables it.',
});

const WebhookDisabledReason = enumOf('WebhookDisabledReason', 'Why a webhook is disabled.', {
  owner: 'An owner of the company disabled it.',
  operator: 'The operator of the server disabled it.',
  gone: 'Its endpoint responded with 410 Gone.',
  failing: 'Its endpoint has only failed for five days.',
});

const WebhookAttemptConnection = connectionType(
  'WebhookAttempt',
  WebhookAttempt,
  'A page of the log of attempts, newest first.',
);

const pageOfAttempts = pagesOf('WebhookAttempt', (db) => db.webhookAttempt);

export const Webhook = builder.objectRef<WebhookRow>('Webhook').implement({
  description: 'A webhook of the company: where its events are sent. Only owners of the company see it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the webhook.' }),
    url: t.exposeString('url', { description: 'Where events are sent.' }),
    actions: t.field({
      type: [ActivityAction],
      nullable: true,
      description: 'The actions whose events it gets. Null if it gets those of all actions.',
      resolve: ({ actions }) => (actions.length > 0 ? actions : null),
    }),
    exceptOrigins: t.field({
      type: [EventOrigin],
      description: 'The origins whose events it does not get.',
      resolve: ({ exceptOrigins }) => exceptOrigins,
    }),
    state: t.expose('state', { type: WebhookState, description: 'Whether it gets events.' }),
    disabledReason: t.expose('disabledReason', {
      type: WebhookDisabledReason,
      nullable: true,
      description: 'Why it is disabled. Null unless it is.',
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was disabled. Null unless it is.',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when its endpoint has only failed. Null unless an attempt has failed since the last success.',
    }),
    waitsUntil: t.expose('waitUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'When its endpoint is tried again. Null unless it waits as a whole.',
    }),
    position: t.expose('position', {
      type: 'SafeInt',
      description: 'The number of the last event that it is done with, apart from those that wait for a retry.',
    }),
    lag: t.expose('lag', {
      type: 'SafeInt',
      description:
        'By how many events it is behind: those that its endpoint has not acknowledged, with all after its position.',
    }),
    retrying: t.exposeInt('retries', {
      description:
        'The number of goals, files and documents of which an event waits for a retry, and holds up those after it.',
    }),
    oldSecretUntil: t.expose('previousUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when requests are signed with an old secret too. Null if there is only one secret.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When an owner last changed it.' }),
    attempts: t.field({
      type: WebhookAttemptConnection,
      description: 'The log of what was sent to it, newest first.',
      args: pageArguments,
      extensions: checkedPage(webhookAttemptCursor),
      resolve: ({ id }, args, context, info) =>
        pageOfAttempts(context, info, args, webhookAttemptList(context.actor), id),
    }),
  }),
});

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

builder.queryField('webhooks', (t) =>
  t.field({
    type: [Webhook],
    nullable: true,
    description:
      'Lists the webhooks of the company, at most 20, oldest first. Null if the caller is no owner of the company (`viewer.isOwner`). Error: OWNER_REQUIRED.',
    resolve: (_root, _args, context) => loadWebhooks(context),
  }),
);
