import { isOutdated, progressPercentage, statusOf } from '../../rules/goal.js';
import { builder, enumOf, inOrder, keyColumns, latest, oldestFirst } from '../builder.js';
import { Person } from '../people/person.js';
import { Reaction } from '../people/subscriptions.js';
import { Goal } from './goal.js';
import { ProgressStatus } from './project.js';

const GoalStatus = enumOf(
  'GoalStatus',
  'The status of a goal, derived from its check-ins and from how it was closed.',
  {
    on_track: 'The goal is open and going as planned.',
    caution: 'The goal is open and needs attention.',
    off_track: 'The goal is open and unlikely to be achieved without a change.',
    achieved: 'The goal is closed and was achieved.',
    missed: 'The goal is closed and was not achieved.',
    outdated: 'The goal is open and its check-in is overdue.',
    pending: 'The goal is open and has not started, or has no check-in yet.',
    paused: 'The goal is open and paused.',
  },
);

const Target = builder.prismaObject('Target', {
  select: keyColumns,
  description: 'A measurable target of a goal.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the target.' }),
    index: t.exposeInt('index', { description: 'The position among the targets of the goal.' }),
    name: t.exposeString('name', { description: 'The name of the target.' }),
    from: t.exposeFloat('from', { description: 'The value at the start, in `unit`.' }),
    to: t.exposeFloat('to', { description: 'The value to reach, in `unit`. It can be lower than `from`.' }),
    unit: t.exposeString('unit', {
      nullable: true,
      description: 'The unit of the values. Null if they are plain numbers.',
    }),
    value: t.exposeFloat('value', { description: 'The current value, in `unit`.' }),
  }),
});

const GoalCheck = builder.prismaObject('GoalCheck', {
  select: keyColumns,
  description: "An item of a goal's checklist.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the item.' }),
    name: t.exposeString('name', { description: 'The name of the item.' }),
    isCompleted: t.exposeBoolean('completed', { description: 'Whether the item is done.' }),
    index: t.exposeInt('index', { description: 'The position in the checklist.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the item was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the item was last changed.' }),
  }),
});

const GoalProgressUpdate = builder.prismaObject('GoalProgressUpdate', {
  select: keyColumns,
  description: 'A check-in on a goal.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the check-in.' }),
    status: t.expose('status', { type: ProgressStatus, description: 'The status of the goal as reported.' }),
    message: t.exposeString('message', {
      nullable: true,
      description: 'The message: plain or rich text (ProseMirror JSON). Null if there is none.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the check-in was created.' }),
    author: t.relation('author', { type: Person, description: 'The person who checked in.' }),
    isAcknowledged: t.boolean({
      description: 'Whether the check-in is acknowledged.',
      select: { acknowledgedAt: true },
      resolve: ({ acknowledgedAt }) => acknowledgedAt !== null,
    }),
    acknowledgedAt: t.expose('acknowledgedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the check-in was acknowledged. Null if it is not acknowledged.',
    }),
    acknowledgingPerson: t.relation('acknowledgingPerson', {
      type: Person,
      nullable: true,
      description: 'The person who acknowledged the check-in. Null if it is not acknowledged.',
    }),
    commentsCount: t.relationCount('comments', {
      where: (_args, { actor }) => ({ companyId: actor.companyId, deletedAt: null }),
      description: 'The number of comments, excluding deleted ones.',
    }),
    reactions: t.relation('reactions', {
      type: Reaction,
      query: oldestFirst,
      description: 'The reactions to the check-in, oldest first.',
    }),
  }),
});

const GoalRetrospective = builder.prismaObject('GoalRetrospective', {
  select: keyColumns,
  description: 'A look back at a goal, written when it was closed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the retrospective.' }),
    title: t.exposeString('title', { description: 'The title of the retrospective.' }),
    content: t.exposeString('content', { description: 'The content: plain or rich text (ProseMirror JSON).' }),
    author: t.relation('author', { type: Person, description: 'The person who wrote the retrospective.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the retrospective was created.' }),
    commentsCount: t.relationCount('comments', {
      where: (_args, { actor }) => ({ companyId: actor.companyId, deletedAt: null }),
      description: 'The number of comments, excluding deleted ones.',
    }),
  }),
});

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
