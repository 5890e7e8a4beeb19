import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { Person } from './Person.js';

// A variant of the activity that keeps it, so that one query loads both.
export const GoalOutcome = builder.prismaObject('Activity', {
  select: keyColumns,
  variant: 'GoalOutcome',
  description: 'How a goal was closed.',
  fields: (t) => ({
    success: t.boolean({
      description: 'Whether the goal was achieved.',
      select: { undoneSuccess: true },
      resolve: ({ undoneSuccess }) => undoneSuccess === true,
    }),
    closedAt: t.field({
      type: 'DateTime',
      description: 'When the goal was closed.',
      select: { undoneClosedAt: true },
      resolve: ({ undoneClosedAt }) => undoneClosedAt as Date,
    }),
    closedBy: t.relation('undoneClosedBy', {
      type: Person,
      nullable: true,
      description: 'The person who closed the goal. Null if that is not known.',
    }),
  }),
});
