import { builder, enumOf, keyColumns, oldestFirst } from '../builder.js';
import { Person } from './person.js';

const SubscriptionType = enumOf('SubscriptionType', 'How a person was subscribed.', {
  invited: 'The person was invited by someone.',
  joined: 'The person took part or chose to subscribe.',
  mentioned: 'The person was mentioned in the text.',
});

const Subscription = builder.prismaObject('Subscription', {
  select: keyColumns,
  // `Subscription` is GraphQL's own name for a root type.
  name: 'PersonSubscription',
  description: "A person's subscription to a thread, file or document.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the subscription.' }),
    type: t.expose('type', { type: SubscriptionType, description: 'How the person was subscribed.' }),
    isCanceled: t.exposeBoolean('canceled', { description: 'Whether the person canceled the subscription.' }),
    person: t.relation('person', { type: Person, description: 'The person who is subscribed.' }),
  }),
});

const SubscriptionParentType = enumOf(
  'SubscriptionParentType',
  'The kinds of objects that a subscription list can belong to.',
  {
    comment_thread: 'A comment thread.',
    resource_hub_file: 'A file.',
    resource_hub_document: 'A document.',
  },
);

export const SubscriptionList = builder.prismaObject('SubscriptionList', {
  select: keyColumns,
  description: 'The subscriptions to a thread, file or document.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the list.' }),
    parentType: t.field({
      type: SubscriptionParentType,
      description: 'The kind of object that the list belongs to.',
      select: { threadId: true, fileId: true },
      resolve: ({ threadId, fileId }) => {
        if (threadId !== null) return 'comment_thread';
        return fileId === null ? 'resource_hub_document' : 'resource_hub_file';
      },
    }),
    sendToEveryone: t.exposeBoolean('sendToEveryone', {
      description: 'Whether the members of the space are notified in addition to the subscribers.',
    }),
    subscriptions: t.relation('subscriptions', {
      type: Subscription,
      description: 'The subscriptions, including canceled ones, oldest first.',
      query: oldestFirst,
    }),
  }),
});

export const Reaction = builder.prismaObject('Reaction', {
  select: keyColumns,
  description: "A person's emoji reaction to a comment, check-in, file or document.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the reaction.' }),
    emoji: t.exposeString('emoji', { description: 'The emoji.' }),
    person: t.relation('person', { type: Person, description: 'The person who reacted.' }),
  }),
});
