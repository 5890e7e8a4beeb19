import type { Context } from '../../context.js';
import { notFound } from '../../errors/failures.js';
import type { EventStream } from '../../events/streams/eventStream.js';
import { keyOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { type EventArguments, eventErrors } from '../queries/events.js';
import { ActivityAction } from '../types/Activity.js';
import { Event } from '../types/Event.js';

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
    },
    extensions: { check: eventErrors },
    subscribe: (_root, args, context) => subscribe(context, args) as never,
    resolve: async (item, _args, context, info) => {
      const { id } = (item as { event: { id: string } }).event;
      const where = keyOf(context.actor, id);
      const event = await context.db.activity.findUnique({ ...plannedQuery(context, info), where });
      // Purged since it was found.
      if (!event) throw notFound('event', id);
      return event;
    },
  }),
);

function subscribe(
  { db, actor, streams, lastEventId }: Context,
  { after = null, actions }: EventArguments,
): Promise<EventStream> {
  const start = lastEventId ? { after: lastEventId, field: 'Last-Event-ID' } : { after, field: 'events.after' };
  return streams.subscribe({ db, actor, actions: actions ? [...new Set(actions)] : null, ...start });
}
