import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';

export const GoalCheck = builder.prismaObject('GoalCheck', {
  select: keyColumns,
  description: "An item of a goal's checklist.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the item.' }),
    name: t.exposeString('name', { description: 'The name of the item.' }),
    completed: t.exposeBoolean('completed', { description: 'Whether the item is done.' }),
    index: t.exposeInt('index', { description: 'The position in the checklist.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the item was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the item was last changed.' }),
  }),
});
