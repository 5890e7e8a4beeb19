import type { Actor } from '../../policies/access.js';
import { allUnread, builder, keyColumns, newestFirst } from '../builder.js';
import { Activity } from '../events/activity.js';
import { Goal } from '../goals/goal.js';
import { ResourceHubDocument } from '../hubs/document.js';

export const Notification = builder.prismaObject('Notification', {
  select: keyColumns,
  description: 'Notifies a person about an activity.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the notification.' }),
    isRead: t.boolean({
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

const unreadBy = ({ companyId, personId }: Actor) => ({ companyId, personId, readAt: null });

const subjects = [
  ['goal', Goal],
  ['document', ResourceHubDocument],
] as const;

for (const [subject, type] of subjects) {
  builder.prismaObjectField(type, 'notifications', (t) =>
    t.field({
      type: [Notification],
      extensions: allUnread,
      description: `The caller's unread notifications about the ${subject}, newest first.`,
      select: (_args, { actor }, nested) => ({
        activities: {
          where: { companyId: actor.companyId, notifications: { some: unreadBy(actor) } },
          ...newestFirst,
          select: { notifications: nested({ where: unreadBy(actor) }) },
        },
      }),
      resolve: ({ activities }) => activities.flatMap(({ notifications }) => notifications),
    }),
  );
}
