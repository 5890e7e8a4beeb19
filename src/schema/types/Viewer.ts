import { notificationList } from '../../lists/notifications.js';
import { builder } from '../builder.js';
import { byId, connect, nodesQuery } from '../fields/resolveConnection.js';
import { connectionType, pageArguments } from './Connection.js';
import { Notification } from './Notification.js';
import { Person } from './Person.js';

const ApiToken = builder.prismaObject('ApiToken', {
  description: 'The API token of this request; never the token itself.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the token, for the command line.' }),
    name: t.exposeString('name', { description: 'What it is for.' }),
    lastFour: t.exposeString('lastFour', { description: 'Its last four characters, to recognize it.' }),
    canWrite: t.exposeBoolean('canWrite', { description: 'Whether it may run mutations.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it expires; null for never.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null before the first time.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it was created.' }),
  }),
});

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
        connect(context, info, args, {
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
