import { isOutdated } from '../../rules/isOutdated.js';
import { progressPercentage } from '../../rules/progressPercentage.js';
import { statusOf } from '../../rules/statusOf.js';
import { builder } from '../builder.js';
import { inOrder, latest } from '../order.js';
import { Goal } from '../types/Goal.js';
import { GoalCheck } from '../types/GoalCheck.js';
import { GoalProgressUpdate } from '../types/GoalProgressUpdate.js';
import { GoalRetrospective } from '../types/GoalRetrospective.js';
import { GoalStatus } from '../types/GoalStatus.js';
import { Target } from '../types/Target.js';

/** How far a goal has come, and what that is measured by. */
builder.prismaObjectFields(Goal, (t) => ({
  checklist: t.relation('checklist', {
    type: GoalCheck,
    query: inOrder,
    description: 'The items of the checklist, in order.',
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
  nextUpdateScheduledAt: t.expose('nextUpdateScheduledAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the next check-in is due. Null if none is scheduled.',
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
  retrospective: t.field({
    type: GoalRetrospective,
    nullable: true,
    description: 'The latest retrospective, which remains after the goal is reopened. Null if there is none.',
    select: (_args, _context, nested) => ({ retrospectives: nested(latest) }),
    resolve: ({ retrospectives }) => retrospectives[0],
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
}));
