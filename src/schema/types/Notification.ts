import { builder } from '../builder.js';
import { Activity } from './Activity.js';

export const Notification = builder.prismaObject('Notification', {
  description: 'Tells one person of an activity.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the notification.' }),
    read: t.boolean({
      description: 'Whether the person has read it.',
      select: { readAt: true },
      resolve: ({ readAt }) => readAt !== null,
    }),
    readAt: t.expose('readAt', { type: 'DateTime', nullable: true, description: 'When it was read; null until then.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the person was notified.' }),
    activity: t.relation('activity', { type: Activity, description: 'What happened.' }),
  }),
});
