import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { oldestFirst } from '../order.js';
import { Person } from './Person.js';
import { ProgressStatus } from './ProgressStatus.js';
import { Reaction } from './Reaction.js';

export const GoalProgressUpdate = builder.prismaObject('GoalProgressUpdate', {
  select: keyColumns,
  description: 'A check-in on a goal.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the check-in.' }),
    status: t.expose('status', { type: ProgressStatus, description: 'The status of the goal as reported.' }),
    message: t.exposeString('message', {
      nullable: true,
      description: 'The message: plain or rich text (ProseMirror JSON). Null if there is none.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the check-in was created.' }),
    author: t.relation('author', { type: Person, description: 'The person who checked in.' }),
    acknowledged: t.boolean({
      description: 'Whether the check-in is acknowledged.',
      select: { acknowledgedAt: true },
      resolve: ({ acknowledgedAt }) => acknowledgedAt !== null,
    }),
    acknowledgedAt: t.expose('acknowledgedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the check-in was acknowledged. Null if it is not acknowledged.',
    }),
    acknowledgingPerson: t.relation('acknowledgingPerson', {
      type: Person,
      nullable: true,
      description: 'The person who acknowledged the check-in. Null if it is not acknowledged.',
    }),
    commentsCount: t.relationCount('comments', {
      where: (_args, { actor }) => ({ companyId: actor.companyId, deletedAt: null }),
      description: 'The number of comments, excluding deleted ones.',
    }),
    reactions: t.relation('reactions', {
      type: Reaction,
      query: oldestFirst,
      description: 'The reactions to the check-in, oldest first.',
    }),
  }),
});
