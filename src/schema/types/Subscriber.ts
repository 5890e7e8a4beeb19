import type { PotentialSubscriber } from '../../rules/potentialSubscribers.js';
import { builder } from '../builder.js';
import { Person, type PersonShape } from './Person.js';

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
