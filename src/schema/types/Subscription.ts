import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { Person } from './Person.js';

const SubscriptionType = builder.enumType('SubscriptionType', {
  description: 'How a person was subscribed.',
  values: {
    INVITED: { value: 'invited', description: 'The person was invited by someone.' },
    JOINED: { value: 'joined', description: 'The person took part or chose to subscribe.' },
    MENTIONED: { value: 'mentioned', description: 'The person was mentioned in the text.' },
  } as const,
});

export const Subscription = builder.prismaObject('Subscription', {
  select: keyColumns,
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
