import { callersAccess, canView, level, levelOf, visibleTo } from '../../policies/access.js';
import {
  type ContextualDate as ContextualDateShape,
  isOutdated,
  potentialSubscribers,
  privacyOf,
  progressPercentage,
  roleOf,
  statusOf,
  type Timeframe as TimeframeShape,
  timeframeOf,
} from '../../rules/derived.js';
import { builder, byKey, enumOf, everybody, inOrder, keyColumns, latest, oldestFirst } from '../builder.js';
import { Person } from '../people/people.js';
import { AccessLevels, levelColumns, Space } from '../people/spaces.js';
import { concernedPeople, Reaction, Subscriber, subscribedPeople } from '../people/subscriptions.js';

const ProgressStatus = enumOf('ProgressStatus', 'The progress of a goal or project, as reported by a person.', {
  pending: 'The work has not started.',
  on_track: 'The work is going as planned.',
  caution: 'The work needs attention.',
  off_track: 'The work is unlikely to succeed without a change.',
  paused: 'The work is paused.',
});

export const Project = builder.prismaObject('Project', {
  ...byKey,
  description: 'A piece of work in a space, often towards a goal.',
  fields: (t) => ({
    status: t.expose('status', { type: ProgressStatus, description: 'The progress of the project.' }),
    goalId: t.id({
      nullable: true,
      description:
        'The ID of the goal that the project works towards. Null if there is none or the caller cannot see it.',
      select: (_args, { actor }) => ({ goal: { select: { id: true, ...callersAccess(actor) } } }),
      resolve: ({ goal }) => (goal && canView(goal) ? goal.id : null),
    }),
    spaceId: t.id({
      nullable: true,
      description: 'The ID of the space of the project. Null if the caller cannot see the space.',
      select: (_args, { actor }) => ({ space: { select: { id: true, ...callersAccess(actor) } } }),
      resolve: ({ space }) => (canView(space) ? space.id : null),
    }),
  }),
});

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
  ...byKey,
  description: 'Something that a space wants to achieve, measured by targets and a checklist.',
  fields: (t) => ({
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
  ...byKey,
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
  ...byKey,
  description: "An item of a goal's checklist.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the item.' }),
    name: t.exposeString('name', { description: 'The name of the item.' }),
    completed: t.exposeBoolean('completed', { description: 'Whether the item is done.' }),
    index: t.exposeInt('index', { description: 'The position in the checklist.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the item was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the item was last changed.' }),
  }),
});

const GoalProgressUpdate = builder.prismaObject('GoalProgressUpdate', {
  ...byKey,
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
    acknowledged: t.boolean({
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
  ...byKey,
  description: 'A look back at a goal, written when it was closed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the retrospective.' }),
    title: t.exposeString('title', { description: 'The title of the retrospective.' }),
    content: t.exposeString('content', { description: 'The content: plain or rich text (ProseMirror JSON).' }),
    author: t.relation('author', { type: Person, description: 'The person who wrote the retrospective.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the retrospective was created.' }),
    commentCount: t.relationCount('comments', {
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

const Privacy = enumOf('Privacy', 'Who a goal or project is open to, derived from its access levels.', {
  public: 'It is marked as public.',
  internal: 'It is open to everyone in the company except guests.',
  confidential: 'It is open to the members of its space.',
  secret: 'It is open only to people with a personal grant.',
});

const types = [
  ['goal', Goal],
  ['project', Project],
] as const;

for (const [name, type] of types) {
  builder.prismaObjectFields(type, (t) => ({
    id: t.exposeID('id', { description: `The ID of the ${name}.` }),
    name: t.exposeString('name', { description: `The name of the ${name}.` }),
    description: t.exposeString('description', {
      nullable: true,
      description: `The description of the ${name}: plain or rich text (ProseMirror JSON). Null if there is none.`,
    }),
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
    space: t.field({
      type: Space,
      nullable: true,
      description: `The space of the ${name}. Null if the caller cannot see the space.`,
      select: (_args, { actor }, nested) => ({ space: nested({ select: { ...keyColumns, ...callersAccess(actor) } }) }),
      resolve: ({ space }) => (canView(space) ? space : null),
    }),
  }));
}

/** What a goal belongs to, and what works towards it. */
builder.prismaObjectFields(Goal, (t) => ({
  parentGoal: t.field({
    type: Goal,
    nullable: true,
    description: 'The parent goal. Null if there is none or the caller cannot see it.',
    select: (_args, { actor }, nested) => ({
      parentGoal: nested({ select: { ...keyColumns, ...callersAccess(actor) } }),
    }),
    resolve: ({ parentGoal }) => (parentGoal && canView(parentGoal) ? parentGoal : null),
  }),
  parentGoalId: t.id({
    nullable: true,
    description: 'The ID of the parent goal. Null if there is none or the caller cannot see it.',
    select: (_args, { actor }) => ({ parentGoal: { select: { id: true, ...callersAccess(actor) } } }),
    resolve: ({ parentGoal }) => (parentGoal && canView(parentGoal) ? parentGoal.id : null),
  }),
  potentialSubscribers: t.field({
    type: [Subscriber],
    extensions: everybody,
    description:
      "The champion, the reviewer and the members of the goal's space, except suspended people. Some may not be able to see the goal; they are not notified. `isSubscribed` refers to the goal's latest thread.",
    select: {
      ...concernedPeople,
      // Not through `activities`, which `notifications` filters: a goal would take several statements.
      threads: { ...latest, select: { thread: { select: { subscriptionList: subscribedPeople } } } },
    },
    resolve: (goal) => potentialSubscribers(goal, goal.threads[0]?.thread.subscriptionList),
  }),
  projects: t.relation('projects', {
    type: Project,
    query: (_args, { actor }) => ({ where: visibleTo(actor), ...oldestFirst }),
    description: 'The projects that work towards the goal and that the caller can see, oldest first.',
  }),
}));

/** What a project belongs to. */
builder.prismaObjectFields(Project, (t) => ({
  goal: t.field({
    type: Goal,
    nullable: true,
    description: 'The goal that the project works towards. Null if there is none or the caller cannot see it.',
    select: (_args, { actor }, nested) => ({ goal: nested({ select: { ...keyColumns, ...callersAccess(actor) } }) }),
    resolve: ({ goal }) => (goal && canView(goal) ? goal : null),
  }),
}));
