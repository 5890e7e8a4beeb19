import { builder } from '../builder.js';
import { Person } from './Person.js';

const SubscriptionType = builder.enumType('SubscriptionType', {
  description: 'How a person came to be subscribed.',
  values: {
    INVITED: { value: 'invited', description: 'Named by someone.' },
    JOINED: { value: 'joined', description: 'By taking part or by choice.' },
    MENTIONED: { value: 'mentioned', description: 'Mentioned in the text.' },
  } as const,
});

export const Subscription = builder.prismaObject('Subscription', {
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
