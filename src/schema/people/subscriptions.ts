import type { PotentialSubscriber } from '../../rules/derived.js';
import { builder, byKey, enumOf, oldestFirst } from '../builder.js';
import { Person, type PersonShape, personColumns } from './people.js';

const SubscriptionType = enumOf('SubscriptionType', 'How a person was subscribed.', {
  invited: 'The person was invited by someone.',
  joined: 'The person took part or chose to subscribe.',
  mentioned: 'The person was mentioned in the text.',
});

const Subscription = builder.prismaObject('Subscription', {
  ...byKey,
  // `Subscription` is GraphQL's own name for a root type.
  name: 'PersonSubscription',
  description: "A person's subscription to a thread, file or document.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the subscription.' }),
    type: t.expose('type', { type: SubscriptionType, description: 'How the person was subscribed.' }),
    canceled: t.exposeBoolean('canceled', { description: 'Whether the person canceled the subscription.' }),
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
  ...byKey,
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
  ...byKey,
  description: "A person's emoji reaction to a comment, check-in, file or document.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the reaction.' }),
    emoji: t.exposeString('emoji', { description: 'The emoji.' }),
    person: t.relation('person', { type: Person, description: 'The person who reacted.' }),
  }),
});

export const Subscriber = builder.objectRef<PotentialSubscriber<PersonShape>>('Subscriber').implement({
  description: 'A person who may want to subscribe to a goal, file or document.',
  fields: (t) => ({
    role: t.exposeString('role', {
      nullable: true,
      description: '`Champion`, `Reviewer` or the job title. Null if there is none.',
    }),
    priority: t.exposeBoolean('priority', { description: 'Whether the person is the champion or the reviewer.' }),
    isSubscribed: t.exposeBoolean('isSubscribed', {
      description: 'Whether the person has a subscription that is not canceled.',
    }),
    person: t.expose('person', { type: Person, description: 'The person.' }),
  }),
});

const candidate = { select: { ...personColumns, suspendedAt: true } } as const;

/** Whom a goal or a project concerns, and whom the parent of a hub does. */
export const concernedPeople = {
  champion: candidate,
  reviewer: candidate,
  space: { select: { members: { select: { person: candidate } } } },
} as const;

export const concernedByHub = {
  space: concernedPeople.space,
  goal: { select: concernedPeople },
  project: { select: concernedPeople },
} as const;

export const subscribedPeople = {
  select: { subscriptions: { ...oldestFirst, select: { personId: true, canceled: true } } },
} as const;
