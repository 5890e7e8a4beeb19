import { eventTypeOf } from '../../events/eventTypes.js';
import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { Activity } from './Activity.js';

export const Event = builder.prismaObject('Activity', {
  select: keyColumns,
  variant: 'Event',
  description: 'An activity as an event: it has a place among all events of the company.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the event, which is that of the activity.' }),
    type: t.string({
      description: 'What happened, such as `goal.reopened`. New types may be added: ignore those that you do not know.',
      select: { action: true },
      resolve: ({ action }) => eventTypeOf(action),
    }),
    sequence: t.field({
      type: 'BigInt',
      description: 'The number of the event among those of the company, from 1. It grows in the order of the events.',
      select: { sequence: true },
      resolve: ({ sequence }) => sequence ?? 0n,
    }),
    timestamp: t.expose('insertedAt', { type: 'DateTime', description: 'When it happened.' }),
    activity: t.variant(Activity, { description: 'The activity that the event is.' }),
  }),
});
