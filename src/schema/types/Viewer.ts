import { notificationList } from '../../lists/notifications.js';
import { builder } from '../builder.js';
import { byId, nodesQuery, resolveConnection } from '../fields/resolveConnection.js';
import { ApiToken } from './ApiToken.js';
import { connectionType, pageArguments } from './Connection.js';
import { Notification } from './Notification.js';
import { Person } from './Person.js';

const NotificationConnection = connectionType(
  'Notification',
  Notification,
  "A page of the caller's notifications, newest first.",
);

export const Viewer = builder.prismaObject('ApiToken', {
  variant: 'Viewer',
  description: 'Who is asking.',
  fields: (t) => ({
    person: t.relation('person', { type: Person, description: 'The person behind the token.' }),
    token: t.variant(ApiToken, { description: 'The token.' }),
    notifications: t.field({
      type: NotificationConnection,
      description: 'What the person was told of, newest first; also of what they may not see any longer.',
      args: {
        ...pageArguments,
        unread: t.arg.boolean({
          required: false,
          description: 'True: only unread ones. False: only read ones. Null: all.',
        }),
      },
      resolve: (_viewer, { unread, ...args }, context, info) =>
        resolveConnection(context, info, args, {
          list: notificationList(context.actor, unread),
          load: byId(nodesQuery(context, info, 'Notification'), (query, where) =>
            context.db.notification.findMany({
              ...query,
              where: { ...where, personId: context.actor.personId },
            }),
          ),
        }),
    }),
  }),
});
