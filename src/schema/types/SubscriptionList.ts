import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { oldestFirst } from '../order.js';
import { Subscription } from './Subscription.js';

const SubscriptionParentType = builder.enumType('SubscriptionParentType', {
  description: 'The kinds of objects that a subscription list can belong to.',
  values: {
    COMMENT_THREAD: { value: 'comment_thread', description: 'A comment thread.' },
    RESOURCE_HUB_FILE: { value: 'resource_hub_file', description: 'A file.' },
    RESOURCE_HUB_DOCUMENT: { value: 'resource_hub_document', description: 'A document.' },
  } as const,
});

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
