import { callersAccess, canView, levelOf } from '../../policies/access.js';
import { visibleTo } from '../../policies/visibility.js';
import { isOutdated } from '../../rules/isOutdated.js';
import { progressPercentage } from '../../rules/progressPercentage.js';
import { roleOf } from '../../rules/roleOf.js';
import { statusOf } from '../../rules/statusOf.js';
import { timeframeOf } from '../../rules/timeframeOf.js';
import { builder } from '../builder.js';
import { latest, oldestFirst } from '../order.js';
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
  description: 'A goal: what a space wants to reach, measured by targets and a checklist.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the goal.' }),
    name: t.exposeString('name', { description: 'Name of the goal.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What it is about, plain or rich text; null when not said.',
    }),
    accessLevels: t.field({
      type: AccessLevels,
      description: 'Access the goal gives.',
      select: levelColumns,
      resolve: (goal) => goal,
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was archived; null if not.',
    }),
    checklist: t.relation('checklist', {
      type: GoalCheck,
      query: { orderBy: [{ index: 'asc' }, { id: 'asc' }] },
      description: 'Its checklist, in order.',
    }),
    closedBy: t.relation('closedBy', {
      type: Person,
      nullable: true,
      description: 'Who closed it; null while open, or when not known.',
    }),
    isArchived: t.boolean({
      description: 'Whether it is archived.',
      select: { archivedAt: true },
      resolve: ({ archivedAt }) => archivedAt !== null,
    }),
    isOutdated: t.boolean({
      description:
        'Whether its update is overdue: open, not archived, and more than 3 days (UTC dates) past the next scheduled one, or none is scheduled.',
      select: { closedAt: true, archivedAt: true, nextUpdateScheduledAt: true },
      resolve: (goal, _args, { now }) => isOutdated(goal, now),
    }),
    lastCheckIn: t.field({
      type: GoalProgressUpdate,
      nullable: true,
      description: 'The latest check-in; null before the first.',
      select: (_args, _context, nested) => ({ progressUpdates: nested(latest) }),
      resolve: ({ progressUpdates }) => progressUpdates[0],
    }),
    lastCheckInId: t.id({
      nullable: true,
      description: 'Id of the latest check-in; null before the first.',
      select: { progressUpdates: { ...latest, select: { id: true } } },
      resolve: ({ progressUpdates }) => progressUpdates[0]?.id,
    }),
    myRole: t.field({
      type: GoalRole,
      nullable: true,
      description: "The caller's role in it; null without one.",
      select: { championId: true, reviewerId: true },
      resolve: (goal, _args, { actor }) => roleOf(goal, actor.personId),
    }),
    nextUpdateScheduledAt: t.expose('nextUpdateScheduledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next check-in is due; null when none is scheduled.',
    }),
    parentGoalId: t.id({
      nullable: true,
      description: 'Id of the goal it serves; null without one, or when the caller may not see it.',
      select: (_args, { actor }) => ({ parentGoal: { select: { id: true, ...callersAccess(actor) } } }),
      resolve: ({ parentGoal }) => (parentGoal && canView(parentGoal) ? parentGoal.id : null),
    }),
    permissions: t.field({
      type: GoalPermissions,
      description: 'What the caller may do with it.',
      select: (_args, { actor }) => callersAccess(actor),
      resolve: (goal) => levelOf(goal),
    }),
    progressPercentage: t.float({
      description:
        "0 to 100: mean of the targets' progress and, if there is a checklist, its share done; 0 with neither.",
      select: {
        targets: { select: { from: true, to: true, value: true } },
        checklist: { select: { completed: true } },
      },
      resolve: ({ targets, checklist }) => progressPercentage(targets, checklist),
    }),
    projects: t.relation('projects', {
      type: Project,
      query: (_args, { actor }) => ({ where: visibleTo(actor), ...oldestFirst }),
      description: 'Projects that work towards it and that the caller may see, oldest first.',
    }),
    retrospective: t.field({
      type: GoalRetrospective,
      nullable: true,
      description: 'The latest retrospective, kept after reopening; null before the first.',
      select: (_args, _context, nested) => ({ retrospectives: nested(latest) }),
      resolve: ({ retrospectives }) => retrospectives[0],
    }),
    space: t.field({
      type: Space,
      nullable: true,
      description: 'Its space; null when the caller may see the goal but not the space.',
      select: (_args, { actor }, nested) => ({ space: nested({ include: callersAccess(actor) }) }),
      resolve: ({ space }) => (canView(space) ? space : null),
    }),
    status: t.field({
      type: GoalStatus,
      description: 'Closed: `ACHIEVED` or `MISSED`. Open: `OUTDATED`, else as of the last check-in, else `PENDING`.',
      select: {
        closedAt: true,
        archivedAt: true,
        nextUpdateScheduledAt: true,
        success: true,
        progressUpdates: { ...latest, select: { status: true } },
      },
      resolve: (goal, _args, { now }) => statusOf(goal, now),
    }),
    success: t.exposeBoolean('success', { nullable: true, description: 'Whether it was reached; null while open.' }),
    targets: t.relation('targets', {
      type: Target,
      query: { orderBy: [{ index: 'asc' }, { id: 'asc' }] },
      description: 'Its targets, in order.',
    }),
    timeframe: t.field({
      type: Timeframe,
      nullable: true,
      description: 'When it starts and ends; null when neither is said.',
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
    description: 'The goal it serves; null without one, or when the caller may not see it.',
    select: (_args, { actor }, nested) => ({ parentGoal: nested({ include: callersAccess(actor) }) }),
    resolve: ({ parentGoal }) => (parentGoal && canView(parentGoal) ? parentGoal : null),
  }),
);
