import { callersAccess, canView } from '../../policies/access.js';
import { builder, enumOf, keyColumns } from '../builder.js';

export const ProgressStatus = enumOf('ProgressStatus', 'The progress of a goal or project, as reported by a person.', {
  pending: 'The work has not started.',
  on_track: 'The work is going as planned.',
  caution: 'The work needs attention.',
  off_track: 'The work is unlikely to succeed without a change.',
  paused: 'The work is paused.',
});

export const Project = builder.prismaObject('Project', {
  select: keyColumns,
  description: 'A piece of work in a space, often towards a goal.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the project.' }),
    name: t.exposeString('name', { description: 'The name of the project.' }),
    status: t.expose('status', { type: ProgressStatus, description: 'The progress of the project.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'The description of the project: plain or rich text (ProseMirror JSON). Null if there is none.',
    }),
    goalId: t.id({
      nullable: true,
      description:
        'The ID of the goal that the project works towards. Null if there is none or the caller cannot see it.',
      select: (_args, { actor }) => ({ goal: { select: { id: true, ...callersAccess(actor) } } }),
      resolve: ({ goal }) => (goal && canView(goal) ? goal.id : null),
    }),
    spaceId: t.id({
      nullable: true,
      description: 'The ID of the space of the project. Null if the caller cannot see the space.',
      select: (_args, { actor }) => ({ space: { select: { id: true, ...callersAccess(actor) } } }),
      resolve: ({ space }) => (canView(space) ? space.id : null),
    }),
  }),
});
