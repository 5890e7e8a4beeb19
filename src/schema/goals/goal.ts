import { callersAccess, level, levelOf } from '../../policies/access.js';
import {
  type ContextualDate as ContextualDateShape,
  roleOf,
  type Timeframe as TimeframeShape,
  timeframeOf,
} from '../../rules/goal.js';
import { builder, enumOf, keyColumns } from '../builder.js';
import { Person } from '../people/person.js';
import { AccessLevels, levelColumns } from '../people/spaces.js';

const ContextualDateType = enumOf('ContextualDateType', 'The precision of a contextual date.', {
  day: 'The date is a day.',
  month: 'The date is a month.',
  quarter: 'The date is a quarter of a year.',
  year: 'The date is a year.',
});

const ContextualDate = builder.objectRef<ContextualDateShape>('ContextualDate').implement({
  description: 'A date that is a day, a month, a quarter or a year.',
  fields: (t) => ({
    dateType: t.expose('type', { type: ContextualDateType, description: 'The precision of the date.' }),
    value: t.exposeString('value', { description: 'The date as people write it, such as `Q3 2026`.' }),
    date: t.expose('date', { type: 'Date', description: 'The calendar day that the date stands for.' }),
  }),
});

const Timeframe = builder.objectRef<TimeframeShape>('Timeframe').implement({
  description: 'The planned start and end of a goal.',
  fields: (t) => ({
    contextualStartDate: t.expose('start', {
      type: ContextualDate,
      nullable: true,
      description: 'The start. Null if it is not set.',
    }),
    contextualEndDate: t.expose('end', {
      type: ContextualDate,
      nullable: true,
      description: 'The end. Null if it is not set.',
    }),
  }),
});

const GoalRole = enumOf('GoalRole', "A person's role in a goal.", {
  champion: 'The person leads the goal.',
  reviewer: 'The person reviews the goal.',
});

const GoalPermissions = builder.objectRef<number>('GoalPermissions').implement({
  description: 'What the caller can do with a goal.',
  fields: (t) => {
    const from = (needed: number, what: string) =>
      t.boolean({ description: `Whether the caller ${what} (level ${needed}).`, resolve: (own) => own >= needed });
    return {
      canView: from(level.view, 'can see the goal'),
      canComment: from(level.comment, 'can comment on the goal'),
      canEdit: from(level.edit, 'can edit and reopen the goal'),
      hasFullAccess: from(level.full, 'has full access to the goal'),
    };
  },
});

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
