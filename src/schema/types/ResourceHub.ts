import { builder } from '../builder.js';
import { Goal } from './Goal.js';
import { Project } from './Project.js';
import { Space } from './Space.js';

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
