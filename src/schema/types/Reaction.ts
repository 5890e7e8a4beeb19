import { builder } from '../builder.js';
import { Person } from './Person.js';

export const Reaction = builder.prismaObject('Reaction', {
  description: "A person's emoji on something.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the reaction.' }),
    emoji: t.exposeString('emoji', { description: 'The emoji.' }),
    person: t.relation('person', { type: Person, description: 'Who reacted.' }),
  }),
});
