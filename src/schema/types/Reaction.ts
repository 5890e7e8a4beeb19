import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { Person } from './Person.js';

export const Reaction = builder.prismaObject('Reaction', {
  select: keyColumns,
  description: "A person's emoji reaction to a comment, check-in, file or document.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the reaction.' }),
    emoji: t.exposeString('emoji', { description: 'The emoji.' }),
    person: t.relation('person', { type: Person, description: 'The person who reacted.' }),
  }),
});
