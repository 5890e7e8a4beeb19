import { callersAccess, canView, levelOf } from '../../policies/access.js';
import { visibleTo } from '../../policies/visibility.js';
import { isOutdated } from '../../rules/isOutdated.js';
import { progressPercentage } from '../../rules/progressPercentage.js';
import { roleOf } from '../../rules/roleOf.js';
import { statusOf } from '../../rules/statusOf.js';
import { timeframeOf } from '../../rules/timeframeOf.js';
import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { inOrder, latest, oldestFirst } from '../order.js';
import { AccessLevels, levelColumns } from './AccessLevels.js';
import { GoalCheck } from './GoalCheck.js';
import { GoalPermissions } from './GoalPermissions.js';
import { GoalProgressUpdate } from './GoalProgressUpdate.js';
import { GoalRetrospective } from './GoalRetrospective.js';
import { GoalRole } from './GoalRole.js';
import { GoalStatus } from './GoalStatus.js';
import { Person } from './Person.js';
import { Project } from './Project.js';
import { Space } from './Space.js';
import { Target } from './Target.js';
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
    checklist: t.relation('checklist', {
      type: GoalCheck,
      query: inOrder,
      description: 'The items of the checklist, in order.',
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
    isOutdated: t.boolean({
      description:
        'Whether the next check-in on an open goal is more than 3 days (UTC dates) overdue or not scheduled. False if the goal is closed or archived.',
      select: { closedAt: true, archivedAt: true, nextUpdateScheduledAt: true },
      resolve: (goal, _args, { now }) => isOutdated(goal, now),
    }),
    lastCheckIn: t.field({
      type: GoalProgressUpdate,
      nullable: true,
      description: 'The latest check-in. Null if there is none.',
      select: (_args, _context, nested) => ({ progressUpdates: nested(latest) }),
      resolve: ({ progressUpdates }) => progressUpdates[0],
    }),
    lastCheckInId: t.id({
      nullable: true,
      description: 'The ID of the latest check-in. Null if there is none.',
      select: { progressUpdates: { ...latest, select: { id: true } } },
      resolve: ({ progressUpdates }) => progressUpdates[0]?.id,
    }),
    myRole: t.field({
      type: GoalRole,
      nullable: true,
      description: "The caller's role in the goal. Null if the caller has none.",
      select: { championId: true, reviewerId: true },
      resolve: (goal, _args, { actor }) => roleOf(goal, actor.personId),
    }),
    nextUpdateScheduledAt: t.expose('nextUpdateScheduledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next check-in is due. Null if none is scheduled.',
    }),
    parentGoalId: t.id({
      nullable: true,
      description: 'The ID of the parent goal. Null if there is none or the caller cannot see it.',
      select: (_args, { actor }) => ({ parentGoal: { select: { id: true, ...callersAccess(actor) } } }),
      resolve: ({ parentGoal }) => (parentGoal && canView(parentGoal) ? parentGoal.id : null),
    }),
    permissions: t.field({
      type: GoalPermissions,
      description: 'What the caller can do with the goal.',
      select: (_args, { actor }) => callersAccess(actor),
      resolve: (goal) => levelOf(goal),
    }),
    progressPercentage: t.float({
      description:
        'The mean of the progress of each target and of the checklist as a whole, 0 to 100, ' +
        'rounded to two decimals. It is 0 if the goal has neither.',
      select: {
        targets: { ...inOrder, select: { from: true, to: true, value: true } },
        checklist: { ...inOrder, select: { completed: true } },
      },
      resolve: ({ targets, checklist }) => progressPercentage(targets, checklist),
    }),
    projects: t.relation('projects', {
      type: Project,
      query: (_args, { actor }) => ({ where: visibleTo(actor), ...oldestFirst }),
      description: 'The projects that work towards the goal and that the caller can see, oldest first.',
    }),
    retrospective: t.field({
      type: GoalRetrospective,
      nullable: true,
      description: 'The latest retrospective, which remains after the goal is reopened. Null if there is none.',
      select: (_args, _context, nested) => ({ retrospectives: nested(latest) }),
      resolve: ({ retrospectives }) => retrospectives[0],
    }),
    space: t.field({
      type: Space,
      nullable: true,
      description: 'The space of the goal. Null if the caller cannot see the space.',
      select: (_args, { actor }, nested) => ({ space: nested({ select: { ...keyColumns, ...callersAccess(actor) } }) }),
      resolve: ({ space }) => (canView(space) ? space : null),
    }),
    status: t.field({
      type: GoalStatus,
      description:
        'The status: `ACHIEVED` or `MISSED` if the goal is closed, `OUTDATED` if its check-in is overdue. Otherwise the status of the last check-in, or `PENDING` before the first.',
      select: {
        closedAt: true,
        archivedAt: true,
        nextUpdateScheduledAt: true,
        success: true,
        progressUpdates: { ...latest, select: { status: true } },
      },
      resolve: (goal, _args, { now }) => statusOf(goal, now),
    }),
    success: t.exposeBoolean('success', {
      nullable: true,
      description: 'Whether the goal was achieved. Null if the goal is open.',
    }),
    targets: t.relation('targets', {
      type: Target,
      query: inOrder,
      description: 'The targets of the goal, in order.',
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

builder.prismaObjectField(Goal, 'parentGoal', (t) =>
  t.field({
    type: Goal,
    nullable: true,
    description: 'The parent goal. Null if there is none or the caller cannot see it.',
    select: (_args, { actor }, nested) => ({
      parentGoal: nested({ select: { ...keyColumns, ...callersAccess(actor) } }),
    }),
    resolve: ({ parentGoal }) => (parentGoal && canView(parentGoal) ? parentGoal : null),
  }),
);
