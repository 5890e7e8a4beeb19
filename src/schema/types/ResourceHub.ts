import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { Goal } from './Goal.js';
import { Project } from './Project.js';
import { Space } from './Space.js';

export const ResourceHub = builder.prismaObject('ResourceHub', {
  select: keyColumns,
  description:
    "A collection of folders, documents and files that belongs to exactly one space, goal or project. A person's access to the hub is their access to that parent.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the hub.' }),
    name: t.exposeString('name', { description: 'The name of the hub.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'The description of the hub: plain or rich text (ProseMirror JSON). Null if there is none.',
    }),
    space: t.relation('space', {
      type: Space,
      nullable: true,
      description: 'The space that the hub belongs to. Null if it belongs to a goal or a project.',
    }),
    goal: t.relation('goal', {
      type: Goal,
      nullable: true,
      description: 'The goal that the hub belongs to. Null if it belongs to a space or a project.',
    }),
    project: t.relation('project', {
      type: Project,
      nullable: true,
      description: 'The project that the hub belongs to. Null if it belongs to a space or a goal.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the hub was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the hub was last changed.' }),
  }),
});
