import { callersAccess, canView } from '../../policies/access.js';
import { builder } from '../builder.js';
import { levelColumns, Privacy, privacyOf } from './AccessLevels.js';
import { ProgressStatus } from './GoalProgressUpdate.js';
import { Person } from './Person.js';

export const Project = builder.prismaObject('Project', {
  description: 'A project: work in a space, often towards a goal.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the project.' }),
    name: t.exposeString('name', { description: 'Name of the project.' }),
    status: t.expose('status', { type: ProgressStatus, description: 'How it is going.' }),
    privacy: t.field({
      type: Privacy,
      description: 'Who it is open to.',
      select: levelColumns,
      resolve: privacyOf,
    }),
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
    champion: t.relation('champion', {
      type: Person,
      nullable: true,
      description: 'Who leads it; null when nobody does.',
    }),
    reviewer: t.relation('reviewer', {
      type: Person,
      nullable: true,
      description: 'Who reviews it; null when nobody does.',
    }),
    closedAt: t.expose('closedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was closed; null while open.',
    }),
    isClosed: t.boolean({
      description: 'Whether it is closed.',
      select: { closedAt: true },
      resolve: ({ closedAt }) => closedAt !== null,
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});
