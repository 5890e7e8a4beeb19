import type { FieldError } from '../../errors/failures.js';
import { eventKind } from '../../events/eventCursor.js';
import { eventFeed } from '../../events/feed.js';

import { type PageArguments, pageErrors } from '../../lists/engine/slice.js';
import { builder } from '../builder.js';
import { byId, nodesQuery, resolveConnection } from '../fields/resolveConnection.js';
import { ActivityAction } from '../types/Activity.js';
import { connectionType, pageArguments } from '../types/Connection.js';
import { Event } from '../types/Event.js';
import { manyEvents } from '../weights.js';

const EventConnection = connectionType('Event', Event, 'A page of events, oldest first.', { isCounted: false });

export type EventArguments = PageArguments & { actions?: readonly string[] | null | undefined };

const noAction = (field: string): FieldError => ({
  field,
  code: 'too_short',
  message: 'must name at least one action',
});

export const eventErrors = ({ actions, ...page }: EventArguments, field: string): FieldError[] => [
  ...pageErrors(eventKind, field, page),
  ...(actions?.length === 0 ? [noAction(`${field}.actions`)] : []),
];

builder.queryField('events', (t) =>
  t.field({
    type: EventConnection,
    description:
      'Lists the events of the company that the caller can see, oldest first. A page looks at up to 1,000 events, so it ' +
      'may have fewer than asked for, or none; `pageInfo` says whether to go on. Errors: BAD_USER_INPUT.',
    extensions: { ...manyEvents, check: eventErrors },
    args: {
      first: pageArguments.first,
      after: pageArguments.after,
      actions: t.arg({
        type: [ActivityAction],
        required: false,
        description: 'Returns only the events of these actions. If it is null, returns those of all actions.',
      }),
    },
    resolve: (_root, { actions, ...args }, context, info) =>
      resolveConnection(context, info, args, {
        list: eventFeed(context.actor, actions),
        load: byId(context, nodesQuery(context, info, 'Event'), (query, where) =>
          context.db.activity.findMany({ ...query, where }),
        ),
      }),
  }),
);
