import { builder } from '../builder.js';
import { oldestFirst } from '../order.js';
import { Person } from './Person.js';

const SubscriptionType = builder.enumType('SubscriptionType', {
  description: 'How a person came to be subscribed.',
  values: {
    INVITED: { value: 'invited', description: 'Named by someone.' },
    JOINED: { value: 'joined', description: 'By taking part or by choice.' },
    MENTIONED: { value: 'mentioned', description: 'Mentioned in the text.' },
  } as const,
});

const Subscription = builder.prismaObject('Subscription', {
  // `Subscription` is GraphQL's own name for a root type.
  name: 'PersonSubscription',
  description: "A person's subscription.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the subscription.' }),
    type: t.expose('type', { type: SubscriptionType, description: 'How the person came to be subscribed.' }),
    canceled: t.exposeBoolean('canceled', { description: 'Whether the person has canceled it.' }),
    person: t.relation('person', { type: Person, description: 'The subscriber.' }),
  }),
});

const SubscriptionParentType = builder.enumType('SubscriptionParentType', {
  description: 'What a subscription list belongs to.',
  values: {
    COMMENT_THREAD: { value: 'comment_thread', description: 'A comment thread.' },
    RESOURCE_HUB_FILE: { value: 'resource_hub_file', description: 'A file.' },
    RESOURCE_HUB_DOCUMENT: { value: 'resource_hub_document', description: 'A document.' },
  } as const,
});

export const SubscriptionList = builder.prismaObject('SubscriptionList', {
  description: 'Who is told of what happens to a thread, a file or a document.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the list.' }),
    parentType: t.field({
      type: SubscriptionParentType,
      description: 'What it belongs to.',
      select: { threadId: true, fileId: true },
      resolve: ({ threadId, fileId }) => {
        if (threadId !== null) return 'comment_thread';
        return fileId === null ? 'resource_hub_document' : 'resource_hub_file';
      },
    }),
    sendToEveryone: t.exposeBoolean('sendToEveryone', {
      description: 'Whether the members of the space are told too, not only the subscribers.',
    }),
    subscriptions: t.relation('subscriptions', {
      type: Subscription,
      description: 'Its subscriptions, canceled ones included, oldest first.',
      query: oldestFirst,
    }),
  }),
});
