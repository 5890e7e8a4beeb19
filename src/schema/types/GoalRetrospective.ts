import { builder } from '../builder.js';
import { Person } from './Person.js';

export const GoalRetrospective = builder.prismaObject('GoalRetrospective', {
  description: 'What was learned when a goal was closed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the retrospective.' }),
    title: t.exposeString('title', { description: 'Its title.' }),
    content: t.exposeString('content', { description: 'Its text, plain or rich text.' }),
    author: t.relation('author', { type: Person, description: 'Who wrote it.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it was written.' }),
    commentCount: t.relationCount('comments', { where: { deletedAt: null }, description: 'Number of live comments.' }),
  }),
});
