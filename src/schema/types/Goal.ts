import { callersAccess, levelOf } from '../../policies/access.js';
import { roleOf } from '../../rules/roleOf.js';
import { timeframeOf } from '../../rules/timeframeOf.js';
import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { AccessLevels, levelColumns } from './AccessLevels.js';
import { GoalPermissions } from './GoalPermissions.js';
import { GoalRole } from './GoalRole.js';
import { Person } from './Person.js';
import { Timeframe } from './Timeframe.js';

export const Goal = builder.prismaObject('Goal', {
  select: keyColumns,
  description: 'Something that a space wants to achieve, measured by targets and a checklist.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the goal.' }),
    name: t.exposeString('name', { description: 'The name of the goal.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'The description of the goal: plain or rich text (ProseMirror JSON). Null if there is none.',
    }),
    accessLevels: t.field({
      type: AccessLevels,
      description: 'The access that the goal gives to groups of people.',
      select: levelColumns,
      resolve: (goal) => goal,
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the goal was archived. Null if it is not archived.',
    }),
    closedBy: t.relation('closedBy', {
      type: Person,
      nullable: true,
      description: 'The person who closed the goal. Null if the goal is open or the person is unknown.',
    }),
    isArchived: t.boolean({
      description: 'Whether the goal is archived.',
      select: { archivedAt: true },
      resolve: ({ archivedAt }) => archivedAt !== null,
    }),
    myRole: t.field({
      type: GoalRole,
      nullable: true,
      description: "The caller's role in the goal. Null if the caller has none.",
      select: { championId: true, reviewerId: true },
      resolve: (goal, _args, { actor }) => roleOf(goal, actor.personId),
    }),
    permissions: t.field({
      type: GoalPermissions,
      description: 'What the caller can do with the goal.',
      select: (_args, { actor }) => callersAccess(actor),
      resolve: (goal) => levelOf(goal),
    }),
    timeframe: t.field({
      type: Timeframe,
      nullable: true,
      description: 'The planned start and end of the goal. Null if neither is set.',
      select: {
        startDateType: true,
        startDateValue: true,
        startDate: true,
        endDateType: true,
        endDateValue: true,
        endDate: true,
      },
      resolve: timeframeOf,
    }),
  }),
});
