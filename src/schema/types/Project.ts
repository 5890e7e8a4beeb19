import { callersAccess, canView } from '../../policies/access.js';
import { builder } from '../builder.js';
import { ProgressStatus } from './ProgressStatus.js';

export const Project = builder.prismaObject('Project', {
  description: 'A project: work in a space, often towards a goal.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the project.' }),
    name: t.exposeString('name', { description: 'Name of the project.' }),
    status: t.expose('status', { type: ProgressStatus, description: 'How it is going.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What it is about; null when not said.',
    }),
    goalId: t.id({
      nullable: true,
      description: 'Id of the goal it works towards; null without one, or when the caller may not see it.',
      select: (_args, { actor }) => ({ goal: { select: { id: true, ...callersAccess(actor) } } }),
      resolve: ({ goal }) => (goal && canView(goal) ? goal.id : null),
    }),
    spaceId: t.id({
      nullable: true,
      description: 'Id of its space; null when the caller may see the project but not the space.',
      select: (_args, { actor }) => ({ space: { select: { id: true, ...callersAccess(actor) } } }),
      resolve: ({ space }) => (canView(space) ? space.id : null),
    }),
  }),
});
