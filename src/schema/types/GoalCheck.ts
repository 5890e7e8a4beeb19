import { builder } from '../builder.js';

export const GoalCheck = builder.prismaObject('GoalCheck', {
  description: "An item of a goal's checklist.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the item.' }),
    name: t.exposeString('name', { description: 'What is to be done.' }),
    completed: t.exposeBoolean('completed', { description: 'Whether it is done.' }),
    index: t.exposeInt('index', { description: 'Position in the checklist.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it was added.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});
