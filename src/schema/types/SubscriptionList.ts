import { builder } from '../builder.js';
import { oldestFirst } from '../order.js';
import { Subscription } from './Subscription.js';

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
