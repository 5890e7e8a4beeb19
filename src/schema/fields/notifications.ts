import type { Actor } from '../../policies/access.js';
import { builder } from '../builder.js';
import { newestFirst } from '../order.js';
import { Goal } from '../types/Goal.js';
import { Notification } from '../types/Notification.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';
import { allUnread } from '../weights.js';

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
