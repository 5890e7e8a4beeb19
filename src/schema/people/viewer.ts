import { notificationCursor, notificationList } from '../../lists/notifications.js';
import { operations } from '../../operations/index.js';
import { snakeCase } from '../../platform/http/index.js';
import { itemsOf, type Surface as SurfaceName, webhookScope } from '../../policies/access.js';
import { builder, byKey, enumOf, rowOf } from '../builder.js';
import { checkedPage, connectionType, pageArguments, pagesOf } from '../connections.js';
import { Notification, Surface } from '../events/activity.js';
import { Person } from './people.js';

const scopes: Record<string, string> = {
  ...Object.fromEntries(operations.map(({ field, title }) => [snakeCase(field), `${title}: \`${field}\`.`])),
  [webhookScope]: 'Create, change and delete webhooks, and have them send events.',
};

const TokenScope = enumOf(
  'TokenScope',
  'What a token may be limited to. REST, the tools and the command line have the same names in lower case.',
  scopes,
);

const ApiToken = builder.prismaObject('ApiToken', {
  ...byKey,
  description: 'The API token that a request is authenticated with. The secret itself is never returned.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the token, as used on the command line.' }),
    name: t.exposeString('name', { description: 'The name of the token.' }),
    lastFour: t.exposeString('lastFour', {
      description: 'The last four characters of the token, so that people can recognize it.',
    }),
    canWrite: t.exposeBoolean('canWrite', { description: 'Whether the token can run mutations.' }),
    scopes: t.field({
      type: [TokenScope],
      nullable: true,
      description:
        'What the token may change if it can write, of what there is in this version. Null for all that there is and is to come.',
      select: { scopes: true },
      // A token that a later version has made may have others.
      resolve: ({ scopes: granted }) => itemsOf(granted)?.filter((scope) => Object.hasOwn(scopes, scope)) ?? null,
    }),
    surfaces: t.field({
      type: [Surface],
      nullable: true,
      description: 'Where the token may be used. Null for everywhere.',
      select: { surfaces: true },
      resolve: ({ surfaces }) => itemsOf(surfaces) as SurfaceName[] | null,
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the token expires. Null if it never expires.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the token was last used, accurate to the minute. Null if it has never been used.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the token was created.' }),
  }),
});

const NotificationConnection = connectionType(
  'Notification',
  Notification,
  "A page of the caller's notifications, newest first.",
);

const pageOfNotifications = pagesOf(
  'Notification',
  (db) => db.notification,
  ({ personId }) => ({ personId }),
);

const Viewer = builder.prismaObject('ApiToken', {
  ...byKey,
  variant: 'Viewer',
  description: 'The caller: whom a request is authenticated as, and what they may do.',
  fields: (t) => ({
    person: t.relation('person', { type: Person, description: 'The person that the token belongs to.' }),
    token: t.variant(ApiToken, { description: 'The token of the request.' }),
    companyId: t.exposeID('companyId', { description: 'The ID of the company, as events have it in `company_id`.' }),
    isOwner: t.boolean({
      description:
        'Whether the person owns the company: has full access to everything in it, and manages its webhooks.',
      select: { person: { select: { isOwner: true } } },
      resolve: ({ person }) => person.isOwner,
    }),
    notifications: t.field({
      type: NotificationConnection,
      description:
        'The notifications of the person, newest first. Includes those about objects that the person can no longer see.',
      extensions: checkedPage(notificationCursor),
      args: {
        ...pageArguments,
        isRead: t.arg.boolean({
          required: false,
          description: 'If true, returns only read notifications; if false, only unread ones. If null, returns both.',
        }),
      },
      resolve: (_viewer, { isRead, ...args }, context, info) =>
        pageOfNotifications(context, info, args, notificationList(context.actor, isRead)),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'Returns the caller: whom this request is authenticated as, and what they may do.',
    resolve: (_root, _args, context, info) =>
      context.db.apiToken.findUniqueOrThrow(rowOf(context, info, context.actor.tokenId)),
  }),
);
