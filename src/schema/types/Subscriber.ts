import type { PotentialSubscriber } from '../../rules/potentialSubscribers.js';
import { builder } from '../builder.js';
import { Person, type PersonShape } from './Person.js';

export const Subscriber = builder.objectRef<PotentialSubscriber<PersonShape>>('Subscriber').implement({
  description: 'A person who may want to be told of what happens here.',
  fields: (t) => ({
    role: t.exposeString('role', {
      nullable: true,
      description: '`Champion`, `Reviewer` or the job title; null without one.',
    }),
    priority: t.exposeBoolean('priority', { description: 'Whether the person is the champion or the reviewer.' }),
    isSubscribed: t.exposeBoolean('isSubscribed', { description: 'Whether the person has a live subscription.' }),
    person: t.expose('person', { type: Person, description: 'The person.' }),
  }),
});
