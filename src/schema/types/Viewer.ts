import { notificationCursor, notificationList } from '../../lists/notifications.js';
import { builder } from '../builder.js';
import { resolveConnection, rowsOfModel } from '../fields/resolveConnection.js';
import { keyColumns } from '../keyColumns.js';
import { ApiToken } from './ApiToken.js';
import { checkedPage, connectionType, pageArguments } from './Connection.js';
import { Notification } from './Notification.js';
import { Person } from './Person.js';

const NotificationConnection = connectionType(
  'Notification',
  Notification,
  "A page of the caller's notifications, newest first.",
);

export const Viewer = builder.prismaObject('ApiToken', {
  select: keyColumns,
  variant: 'Viewer',
  description: 'The caller: the person and the token that a request is authenticated with.',
  fields: (t) => ({
    person: t.relation('person', { type: Person, description: 'The person that the token belongs to.' }),
    token: t.variant(ApiToken, { description: 'The token of the request.' }),
    notifications: t.field({
      type: NotificationConnection,
      description:
        'The notifications of the person, newest first. Includes those about objects that the person can no longer see.',
      extensions: checkedPage(notificationCursor),
      args: {
        ...pageArguments,
        unread: t.arg.boolean({
          required: false,
          description: 'If true, returns only unread notifications; if false, only read ones. If null, returns both.',
        }),
      },
      resolve: (_viewer, { unread, ...args }, context, info) =>
        resolveConnection(context, info, args, {
          list: notificationList(context.actor, unread),
          ...rowsOfModel(context, info, ['Notification', context.db.notification], {
            personId: context.actor.personId,
          }),
        }),
    }),
  }),
});
