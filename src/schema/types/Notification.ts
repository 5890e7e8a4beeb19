import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { Activity } from './Activity.js';

export const Notification = builder.prismaObject('Notification', {
  select: keyColumns,
  description: 'Notifies a person about an activity.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the notification.' }),
    read: t.boolean({
      description: 'Whether the person has read the notification.',
      select: { readAt: true },
      resolve: ({ readAt }) => readAt !== null,
    }),
    readAt: t.expose('readAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the person read the notification. Null if it is unread.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the notification was created.' }),
    activity: t.relation('activity', { type: Activity, description: 'The activity that the notification is about.' }),
  }),
});
