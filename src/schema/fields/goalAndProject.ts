import { privacyOf } from '../../rules/privacyOf.js';
import { builder } from '../builder.js';
import { levelColumns } from '../types/AccessLevels.js';
import { Goal } from '../types/Goal.js';
import { Person } from '../types/Person.js';
import { Privacy } from '../types/Privacy.js';
import { Project } from '../types/Project.js';

for (const type of [Goal, Project]) {
  builder.prismaObjectFields(type, (t) => ({
    privacy: t.field({
      type: Privacy,
      description: 'Who it is open to.',
      select: levelColumns,
      resolve: privacyOf,
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
  }));
}
