import type { Context } from '../../context.js';
import { eventBody, eventKind } from '../../events/event.js';
import { activityFeed, activityIdIn, activityKind, eventFeed } from '../../events/source.js';
import { type PageArguments, pageErrors, readCursor } from '../../lists/engine.js';
import { type FieldError, notFound } from '../../platform/failures/index.js';
import type { EventStream, WantedEvents } from '../../platform/outbox/index.js';
import { builder, byKey, manyEvents, rowOf } from '../builder.js';
import { checkedPage, connectionType, pageArguments, pagesOf, resolveConnection, rowsOfModel } from '../connections.js';
import { OrderDirection } from '../scalars.js';
import { Activity, ActivityAction, EventOrigin, sinceArgument } from './activity.js';

const Event = builder.prismaObject('Activity', {
  ...byKey,
  variant: 'Event',
  description: 'An activity as an event: it has a place among all events of the company.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the event, which is that of the activity.' }),
    type: t.expose('action', {
      type: ActivityAction,
      description:
        'What happened, as the arguments of `events` name it; webhooks write it `goal.reopened`. New values may be added: ignore those that you do not know.',
    }),
    sequence: t.field({
      type: 'SafeInt',
      description: 'The number of the event among those of the company, from 1. It grows in the order of the events.',
      select: { sequence: true },
      resolve: ({ sequence }) => sequence ?? 0n,
    }),
    origin: t.expose('origin', { type: EventOrigin, description: 'Who wrote it.' }),
    timestamp: t.expose('insertedAt', { type: 'DateTime', description: 'When it happened.' }),
    activity: t.variant(Activity, { description: 'The activity that the event is.' }),
  }),
});

const inHub = { select: { resourceHubId: true } } as const;

builder.prismaObjectField(Event, 'body', (t) =>
  t.field({
    type: 'JSON',
    description:
      'The event as webhooks send it: an object with `id`, `type`, `timestamp`, `sequence`, `company_id`, `origin` and `data`.',
    select: {
      companyId: true,
      action: true,
      origin: true,
      sequence: true,
      insertedAt: true,
      authorId: true,
      goalId: true,
      fileId: true,
      documentId: true,
      documentVersionId: true,
      file: inHub,
      document: inHub,
      documentVersion: { select: { versionNumber: true, restoredFromVersionNumber: true } },
    },
    resolve: ({ goalId, fileId, documentId, documentVersionId, file, document, documentVersion, ...event }) => {
      const subject = {
        goal_id: goalId,
        file_id: fileId,
        document_id: documentId,
        resource_hub_id: (file ?? document)?.resourceHubId ?? null,
        version_id: documentVersionId,
        version_number: documentVersion?.versionNumber ?? null,
        restored_from_version_number: documentVersion?.restoredFromVersionNumber ?? null,
      };
      return eventBody({ ...event, sequence: Number(event.sequence), subject });
    },
  }),
);

const EventConnection = connectionType(
  'Event',
  Event,
  'A page of events, oldest first unless the newest were asked for.',
  { isCounted: false },
);

const pageOfEvents = pagesOf('Event', (db) => db.activity);

builder.objectField(EventConnection, 'throughSequence', (t) =>
  t.field({
    type: 'SafeInt',
    description:
      'The number of the last event that the page looked at, also if the caller cannot see it: 0 if there is none. ' +
      'The cursor of the page, `endCursor`, is behind the same event.',
    resolve: async ({ page }) => {
      const { endCursor } = await page();
      return BigInt((endCursor && readCursor(eventKind, endCursor)?.key) || 0);
    },
  }),
);

type EventArguments = PageArguments & WantedEvents;

const noAction: FieldError = { field: 'actions', code: 'too_short', message: 'must name at least one action' };

const eventErrors = ({ actions, ...page }: EventArguments): FieldError[] => [
  ...pageErrors(eventKind, page),
  ...(actions?.length === 0 ? [noAction] : []),
];

const origins = builder.args((t) => ({
  exceptOrigins: t.field({
    type: [EventOrigin],
    required: false,
    description:
      'Leaves out the events of these origins, such as those that the caller itself has written. If null, none.',
  }),
}));

builder.queryField('events', (t) =>
  t.field({
    type: EventConnection,
    description:
      'Lists the events of the company that the caller can see, oldest first unless `direction` says otherwise. A page looks at up to 1,000 events, so it ' +
      'may have fewer than asked for, or none; `pageInfo` says whether to go on. Errors: BAD_USER_INPUT.',
    extensions: { ...manyEvents, check: eventErrors },
    args: {
      first: pageArguments.first,
      after: pageArguments.after,
      direction: t.arg({
        type: OrderDirection,
        required: false,
        defaultValue: 'asc',
        description: 'Whether to begin with the oldest event or, with DESC, with the newest. Null is like the default.',
      }),
      actions: t.arg({
        type: [ActivityAction],
        required: false,
        description: 'Returns only the events of these actions. If it is null, returns those of all actions.',
      }),
      ...origins,
    },
    resolve: (_root, { actions, exceptOrigins, direction, ...args }, context, info) =>
      pageOfEvents(context, info, args, eventFeed(context.actor, { actions, exceptOrigins }, direction ?? 'asc')),
  }),
);

const RecentActivities = connectionType(
  'RecentActivity',
  Activity,
  'A page of the activities of the company, newest first.',
  {
    isCounted: false,
  },
);

builder.queryField('activities', (t) =>
  t.field({
    type: RecentActivities,
    description:
      'Lists the activities of the company that the caller can see, newest first by their time, also if an import has brought ' +
      'them later. A page looks at up to 1,000, so it may have fewer than asked for; `pageInfo` says whether to go on. ' +
      'Error: BAD_USER_INPUT.',
    extensions: { ...manyEvents, ...checkedPage(activityKind) },
    args: { first: pageArguments.first, after: pageArguments.after, ...sinceArgument },
    resolve: (_root, { since, ...args }, context, info) => {
      const { load } = rowsOfModel(context, info, ['Activity', context.db.activity]);
      return resolveConnection(context, info, args, {
        list: activityFeed(context.actor, since),
        load: (positions) => load(positions.map((position) => ({ ...position, id: activityIdIn(position) }))),
      });
    },
  }),
);

builder.subscriptionField('events', (t) =>
  t.field({
    type: Event,
    description:
      'Streams the events of the company that the caller can see, each once it is committed, in their order. Needs ' +
      '`Accept: text/event-stream`. A client that comes back sends the last `id` of the stream as `Last-Event-ID`, and ' +
      'misses nothing. Errors: BAD_USER_INPUT, RATE_LIMITED.',
    args: {
      after: t.arg.string({
        required: false,
        description:
          'Begins with the event after this cursor. By default with the next one that happens. `Last-Event-ID` counts instead of it.',
      }),
      actions: t.arg({
        type: [ActivityAction],
        required: false,
        description: 'Streams only the events of these actions. If null, streams all.',
      }),
      ...origins,
    },
    extensions: { check: eventErrors },
    subscribe: (_root, args, context) => subscribe(context, args) as never,
    resolve: async (item, _args, context, info) => {
      const { id } = (item as { event: { id: string } }).event;
      const event = await context.db.activity.findUnique(rowOf(context, info, id));
      // Purged since it was found.
      if (!event) throw notFound('event', id);
      return event;
    },
  }),
);

function subscribe(
  { db, actor, streams, lastEventId }: Context,
  { after = null, actions, exceptOrigins }: EventArguments,
): Promise<EventStream> {
  const start = lastEventId ? { after: lastEventId, field: 'Last-Event-ID' } : { after, field: 'after' };
  const events = { actions: actions && [...new Set(actions)], exceptOrigins: [...new Set(exceptOrigins)] };
  return streams.subscribe({ db, actor, events, ...start });
}
