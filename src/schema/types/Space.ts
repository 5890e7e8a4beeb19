import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { AccessLevels, levelColumns } from './AccessLevels.js';

export const Space = builder.prismaObject('Space', {
  select: keyColumns,
  description: 'A group of people who work together, with its goals, projects and resource hubs.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the space.' }),
    name: t.exposeString('name', { description: 'The name of the space.' }),
    mission: t.exposeString('mission', {
      nullable: true,
      description: 'The purpose of the space. Null if there is none.',
    }),
    isCompanySpace: t.exposeBoolean('isCompanySpace', {
      description: 'Whether this is the space of the whole company.',
    }),
    isMember: t.boolean({
      description: 'Whether the caller is a member of the space.',
      select: (_args, { actor }) => ({
        _count: { select: { members: { where: { companyId: actor.companyId, personId: actor.personId } } } },
      }),
      resolve: ({ _count }) => _count.members > 0,
    }),
    accessLevels: t.field({
      type: AccessLevels,
      description: 'The access that the space gives to groups of people.',
      select: levelColumns,
      resolve: (space) => space,
    }),
  }),
});
