import { privacyOf } from '../../rules/privacyOf.js';
import { builder } from '../builder.js';
import { levelColumns } from '../types/AccessLevels.js';
import { Goal } from '../types/Goal.js';
import { Person } from '../types/Person.js';
import { Privacy } from '../types/Privacy.js';
import { Project } from '../types/Project.js';

const types = [
  ['goal', Goal],
  ['project', Project],
] as const;

for (const [name, type] of types) {
  builder.prismaObjectFields(type, (t) => ({
    privacy: t.field({
      type: Privacy,
      description: `Who the ${name} is open to, derived from its access levels.`,
      select: levelColumns,
      resolve: privacyOf,
    }),
    champion: t.relation('champion', {
      type: Person,
      nullable: true,
      description: `The person who leads the ${name}. Null if there is none.`,
    }),
    reviewer: t.relation('reviewer', {
      type: Person,
      nullable: true,
      description: `The person who reviews the ${name}. Null if there is none.`,
    }),
    closedAt: t.expose('closedAt', {
      type: 'DateTime',
      nullable: true,
      description: `When the ${name} was closed. Null if it is open.`,
    }),
    isClosed: t.boolean({
      description: `Whether the ${name} is closed.`,
      select: { closedAt: true },
      resolve: ({ closedAt }) => closedAt !== null,
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: `When the ${name} was created.` }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: `When the ${name} was last changed.` }),
  }));
}
