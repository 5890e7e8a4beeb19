import { callersAccess, canView } from '../../policies/access.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { oldestFirst } from '../order.js';
import { Goal } from '../types/Goal.js';
import { Project } from '../types/Project.js';
import { Space } from '../types/Space.js';

/** What a goal belongs to, and what works towards it. */
builder.prismaObjectFields(Goal, (t) => ({
  parentGoal: t.field({
    type: Goal,
    nullable: true,
    description: 'The parent goal. Null if there is none or the caller cannot see it.',
    select: (_args, { actor }, nested) => ({
      parentGoal: nested({ select: { ...keyColumns, ...callersAccess(actor) } }),
    }),
    resolve: ({ parentGoal }) => (parentGoal && canView(parentGoal) ? parentGoal : null),
  }),
  parentGoalId: t.id({
    nullable: true,
    description: 'The ID of the parent goal. Null if there is none or the caller cannot see it.',
    select: (_args, { actor }) => ({ parentGoal: { select: { id: true, ...callersAccess(actor) } } }),
    resolve: ({ parentGoal }) => (parentGoal && canView(parentGoal) ? parentGoal.id : null),
  }),
  projects: t.relation('projects', {
    type: Project,
    query: (_args, { actor }) => ({ where: visibleTo(actor), ...oldestFirst }),
    description: 'The projects that work towards the goal and that the caller can see, oldest first.',
  }),
  space: t.field({
    type: Space,
    nullable: true,
    description: 'The space of the goal. Null if the caller cannot see the space.',
    select: (_args, { actor }, nested) => ({ space: nested({ select: { ...keyColumns, ...callersAccess(actor) } }) }),
    resolve: ({ space }) => (canView(space) ? space : null),
  }),
}));
