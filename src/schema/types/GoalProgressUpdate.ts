import { builder } from '../builder.js';
import { oldestFirst } from '../order.js';
import { Person } from './Person.js';
import { ProgressStatus } from './ProgressStatus.js';
import { Reaction } from './Reaction.js';

export const GoalProgressUpdate = builder.prismaObject('GoalProgressUpdate', {
  description: 'A check-in on a goal.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the check-in.' }),
    status: t.expose('status', { type: ProgressStatus, description: 'How the goal was going.' }),
    message: t.exposeString('message', {
      nullable: true,
      description: 'What was said, plain or rich text; null without words.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the check-in was made.' }),
    author: t.relation('author', { type: Person, description: 'Who checked in.' }),
    acknowledged: t.boolean({
      description: 'Whether someone has acknowledged it.',
      select: { acknowledgedAt: true },
      resolve: ({ acknowledgedAt }) => acknowledgedAt !== null,
    }),
    acknowledgedAt: t.expose('acknowledgedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was acknowledged; null until then.',
    }),
    acknowledgingPerson: t.relation('acknowledgingPerson', {
      type: Person,
      nullable: true,
      description: 'Who acknowledged it; null until then.',
    }),
    commentsCount: t.relationCount('comments', { where: { deletedAt: null }, description: 'Number of live comments.' }),
    reactions: t.relation('reactions', {
      type: Reaction,
      query: oldestFirst,
      description: 'Reactions to it, oldest first.',
    }),
  }),
});
