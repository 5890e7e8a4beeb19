import { builder } from '../builder.js';
import { AccessLevels, levelColumns } from './AccessLevels.js';

export const Space = builder.prismaObject('Space', {
  description: 'A space: people who work together, with goals, projects and a resource hub.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the space.' }),
    name: t.exposeString('name', { description: 'Name of the space.' }),
    mission: t.exposeString('mission', { nullable: true, description: 'What the space is for; null when not said.' }),
    isCompanySpace: t.exposeBoolean('isCompanySpace', {
      description: 'Whether this is the space of the whole company.',
    }),
    isMember: t.boolean({
      description: 'Whether the caller is a member.',
      select: (_args, { actor }) => ({
        _count: { select: { members: { where: { personId: actor.personId } } } },
      }),
      resolve: ({ _count }) => _count.members > 0,
    }),
    accessLevels: t.field({
      type: AccessLevels,
      description: 'Access the space gives.',
      select: levelColumns,
      resolve: (space) => space,
    }),
  }),
});
