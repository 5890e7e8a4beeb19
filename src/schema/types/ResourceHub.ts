import { builder } from '../builder.js';
import { Goal } from './Goal.js';
import { Project } from './Project.js';
import { Space } from './Space.js';
import { concernedPeople } from './Subscriber.js';

export const ResourceHub = builder.prismaObject('ResourceHub', {
  description: 'Folders, files and documents of exactly one space, goal or project; takes its access.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the hub.' }),
    name: t.exposeString('name', { description: 'Name of the hub.' }),
    description: t.exposeString('description', { nullable: true, description: 'What is in it; null when not said.' }),
    space: t.relation('space', {
      type: Space,
      nullable: true,
      description: 'The space it belongs to, if it is a space.',
    }),
    goal: t.relation('goal', { type: Goal, nullable: true, description: 'The goal it belongs to, if it is a goal.' }),
    project: t.relation('project', {
      type: Project,
      nullable: true,
      description: 'The project it belongs to, if it is a project.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

/** The part of a hub's selection that loads whom its parent concerns. */
export const concernedByHub = {
  space: concernedPeople.space,
  goal: { select: concernedPeople },
  project: { select: concernedPeople },
} as const;

/** The one parent of a hub, as whom it concerns. */
export function parentOf<Space, Resource>(hub: {
  space: Space | null;
  goal: Resource | null;
  project: Resource | null;
}) {
  const parent = hub.goal ?? hub.project ?? (hub.space && { space: hub.space });
  if (!parent) throw new Error('a resource hub without a parent');
  return parent;
}
