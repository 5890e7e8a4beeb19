import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { Person } from './Person.js';

export const GoalRetrospective = builder.prismaObject('GoalRetrospective', {
  select: keyColumns,
  description: 'A look back at a goal, written when it was closed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the retrospective.' }),
    title: t.exposeString('title', { description: 'The title of the retrospective.' }),
    content: t.exposeString('content', { description: 'The content: plain or rich text (ProseMirror JSON).' }),
    author: t.relation('author', { type: Person, description: 'The person who wrote the retrospective.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the retrospective was created.' }),
    commentCount: t.relationCount('comments', {
      where: (_args, { actor }) => ({ companyId: actor.companyId, deletedAt: null }),
      description: 'The number of comments, excluding deleted ones.',
    }),
  }),
});
