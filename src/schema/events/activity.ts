import { eventTypeOf } from '../../events/event.js';
import { activityCursor, activityList } from '../../lists/ofRecord.js';
import { activityActions } from '../../operations/index.js';
import { newValues } from '../../platform/graphql/index.js';
import {
  type Actor,
  callersAccess,
  canView,
  canViewDocument,
  canViewFile,
  canViewNameOfSubject,
  canViewSubject,
  type Surface as SurfaceName,
  subjectAccess,
} from '../../policies/access.js';
import { actions, originDescriptions, subjectIn } from '../../rules/activityActions.js';
import { allUnread, builder, byKey, enumOf, keyColumns, longText, newestFirst } from '../builder.js';
import { checkedPage, connectionType, pageArguments, pagesOf } from '../connections.js';
import { Goal } from '../goals/goal.js';
import { ResourceHubDocument, ResourceHubFile } from '../hubs/filesAndDocuments.js';
import { nodeColumns } from '../hubs/nodes.js';
import { comparisons, DocumentVersion } from '../hubs/versions.js';
import { Person } from '../people/people.js';

export const ActivityAction = builder.enumType('ActivityAction', {
  description: 'The action of a person in an activity. New values may be added: ignore those that you do not know.',
  extensions: newValues,
  values: Object.fromEntries(
    actions.map((action) => [
      action.toUpperCase(),
      { value: action, description: `${activityActions[action].description} Its event is \`${eventTypeOf(action)}\`.` },
    ]),
  ),
});

export const EventOrigin = enumOf(
  'EventOrigin',
  'Who wrote an event. New values may be added.',
  originDescriptions,
  newValues,
);

export const Surface = enumOf<SurfaceName>('Surface', 'A way into the API.', {
  rest: 'The REST paths.',
  graphql: 'The GraphQL endpoint.',
  mcp: 'The tools of the Model Context Protocol.',
});

const ActivityToken = builder.prismaObject('ApiToken', {
  ...byKey,
  variant: 'ActivityToken',
  description: 'The API token that made an activity.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the token, as used on the command line.' }),
    name: t.exposeString('name', { description: 'The name of the token.' }),
    lastFour: t.exposeString('lastFour', {
      description: 'The last four characters of the token, so that people can recognize it.',
    }),
  }),
});

/** Whether the caller may know of a token what it did. */
const viewersOf = ({ companyId, personId }: Actor) => ({
  viewers: { where: { companyId, personId }, select: { personId: true } } as const,
});

export const Activity = builder.prismaObject('Activity', {
  ...byKey,
  description: 'An action of a person on a goal, file or document.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the activity.' }),
    action: t.expose('action', { type: ActivityAction, description: 'The action.' }),
    author: t.relation('author', { type: Person, description: 'The person who performed the action.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the activity happened.' }),
    token: t.field({
      type: ActivityToken,
      nullable: true,
      description:
        'The token that made the activity. Null if no token did, or if the caller is neither its person nor an owner of the company.',
      select: (_args, { actor }, nested) => ({
        token: nested({ select: { ...keyColumns, ...viewersOf(actor) } }),
      }),
      resolve: ({ token }) => (token && token.viewers.length > 0 ? token : null),
    }),
    undoes: t.relation('undoes', {
      nullable: true,
      description: 'The activity that this one undoes, on the same record. Null for all others.',
    }),
    surface: t.field({
      type: Surface,
      nullable: true,
      description: 'Where that token was used. Null where `token` is.',
      select: (_args, { actor }) => ({ surface: true, token: { select: viewersOf(actor) } }),
      resolve: ({ surface, token }) => (token && token.viewers.length > 0 ? (surface as SurfaceName) : null),
    }),
  }),
});

// A variant of the activity that keeps it, so that one query loads both.
const GoalOutcome = builder.prismaObject('Activity', {
  ...byKey,
  variant: 'GoalOutcome',
  description: 'How a goal was closed.',
  fields: (t) => ({
    success: t.boolean({
      description: 'Whether the goal was achieved.',
      select: { undoneSuccess: true },
      resolve: ({ undoneSuccess }) => undoneSuccess === true,
    }),
    closedAt: t.field({
      type: 'DateTime',
      description: 'When the goal was closed.',
      select: { undoneClosedAt: true },
      resolve: ({ undoneClosedAt }) => undoneClosedAt as Date,
    }),
    closedBy: t.relation('undoneClosedBy', {
      type: Person,
      nullable: true,
      description: 'The person who closed the goal. Null if that is not known.',
    }),
  }),
});

/** What an activity may be about: the type and the model of each. */
export const subjects = {
  goal: { type: Goal, model: 'goal' },
  file: { type: ResourceHubFile, model: 'resourceHubFile' },
  document: { type: ResourceHubDocument, model: 'resourceHubDocument' },
} as const;

export const ActivitySubject = builder.unionType('ActivitySubject', {
  description: 'What an activity is about.',
  types: Object.values(subjects).map(({ type }) => type),
});

const subjectKinds = { goal: 'goal', file: 'resource_hub_file', document: 'resource_hub_document' } as const;

const ActivitySubjectKind = enumOf('ActivitySubjectKind', 'The kind of what an activity is about.', {
  goal: 'A goal.',
  resource_hub_file: 'A file of a resource hub.',
  resource_hub_document: 'A document of a resource hub.',
});

builder.prismaObjectFields(Activity, (t) => ({
  subjectKind: t.field({
    type: ActivitySubjectKind,
    description: 'The kind of what the activity is about.',
    select: { goalId: true, fileId: true },
    resolve: (activity) => subjectKinds[subjectIn(activity)],
  }),
  subjectId: t.id({
    nullable: true,
    description:
      'The ID of the goal, file or document, even if it has since been deleted: a deleted file can be recovered. Null where `name` is.',
    select: (_args, { actor }) => ({ goalId: true, fileId: true, documentId: true, ...subjectAccess(actor) }),
    resolve: (activity, _args, { actor }) =>
      canViewNameOfSubject(actor, activity) ? (activity.goalId ?? activity.fileId ?? activity.documentId) : null,
  }),
  name: t.string({
    nullable: true,
    description:
      'The name of the goal or file, or the title of the document, at the time of the activity, even if it has since been ' +
      "deleted. Null if the caller cannot see the goal or the hub, or if it is another person's draft.",
    select: (_args, { actor }) => ({ name: true, ...subjectAccess(actor) }),
    resolve: (activity, _args, { actor }) => (canViewNameOfSubject(actor, activity) ? activity.name : null),
  }),
  undoneOutcome: t.field({
    type: GoalOutcome,
    nullable: true,
    description:
      'The outcome that reopening the goal undid. Null for other actions, if it is not known, or if the caller cannot see the goal.',
    select: (_args, { actor }, nested) =>
      nested({ select: { undoneClosedAt: true, goal: { select: callersAccess(actor) } } }).select,
    resolve: (activity) => (activity.undoneClosedAt && activity.goal && canView(activity.goal) ? activity : null),
  }),
  message: t.string({
    nullable: true,
    description:
      "The author's message: plain or rich text (ProseMirror JSON). Null if there is none, or if the caller cannot see the goal, file or document.",
    select: (_args, { actor }) => ({ thread: { select: { message: true } }, ...subjectAccess(actor) }),
    resolve: (activity, _args, { actor }) => (canViewSubject(actor, activity) ? activity.thread?.message : null),
  }),
  readableMessage: t.string({
    nullable: true,
    extensions: longText,
    description: 'The beginning of the message as people read it, of about 10,000 characters. Null where `message` is.',
    select: (_args, { actor }) => ({ thread: { select: { message: true } }, ...subjectAccess(actor) }),
    resolve: async (activity, _args, context) => {
      const message = canViewSubject(context.actor, activity) ? activity.thread?.message : null;
      return message == null ? null : (await comparisons(context).pageOf(message, 1)).text;
    },
  }),
  documentVersion: t.field({
    type: DocumentVersion,
    nullable: true,
    description:
      'The version that was added. Null if none was, if it is not known which, or if the caller cannot see the document.',
    select: (_args, { actor }, nested) => ({ documentVersion: nested(true), ...subjectAccess(actor) }),
    resolve: (activity, _args, { actor }) => (canViewSubject(actor, activity) ? activity.documentVersion : null),
  }),
  subject: t.field({
    type: ActivitySubject,
    nullable: true,
    description: 'What the activity is about. Null if it is deleted, or if the caller cannot see it.',
    select: (_args, { actor }, nested) => {
      const { goal, file, document } = subjectAccess(actor);
      return {
        goal: nested({ select: { ...keyColumns, ...goal.select } }, [], 'Goal'),
        file: nested({ select: { ...nodeColumns, ...file.select } }, [], 'ResourceHubFile'),
        document: nested({ select: { ...nodeColumns, ...document.select } }, [], 'ResourceHubDocument'),
      };
    },
    resolve: ({ goal, file, document }, _args, { actor }) => {
      if (goal) return canView(goal) ? Goal.addBrand(goal) : null;
      if (file) return canViewFile(file) ? ResourceHubFile.addBrand(file) : null;
      return document && canViewDocument(actor, document) ? ResourceHubDocument.addBrand(document) : null;
    },
  }),
}));

/** The argument of lists of activities. */
export const sinceArgument = builder.args((t) => ({
  since: t.field({ type: 'DateTime', required: false, description: 'Returns only activities since this time.' }),
}));

const ActivityConnection = connectionType('Activity', Activity, 'A page of activities, newest first.');

const pageOfActivities = pagesOf('Activity', (db) => db.activity);

for (const [subject, type] of [
  ['goal', Goal],
  ['file', ResourceHubFile],
  ['document', ResourceHubDocument],
] as const) {
  builder.prismaObjectField(type, 'activities', (t) =>
    t.field({
      type: ActivityConnection,
      description: `The activities on the ${subject}, newest first.`,
      args: { ...pageArguments, ...sinceArgument },
      extensions: checkedPage(activityCursor(subject)),
      select: { id: true },
      resolve: ({ id }, { since, ...args }, context, info) =>
        pageOfActivities(context, info, args, activityList(context.actor, subject, since), id),
    }),
  );
}

export const Notification = builder.prismaObject('Notification', {
  ...byKey,
  description: 'Notifies a person about an activity.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the notification.' }),
    read: t.boolean({
      description: 'Whether the person has read the notification.',
      select: { readAt: true },
      resolve: ({ readAt }) => readAt !== null,
    }),
    readAt: t.expose('readAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the person read the notification. Null if it is unread.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the notification was created.' }),
    activity: t.relation('activity', { type: Activity, description: 'The activity that the notification is about.' }),
  }),
});

const unreadBy = ({ companyId, personId }: Actor) => ({ companyId, personId, readAt: null });

for (const [subject, type] of [
  ['goal', Goal],
  ['document', ResourceHubDocument],
] as const) {
  builder.prismaObjectField(type, 'notifications', (t) =>
    t.field({
      type: [Notification],
      extensions: allUnread,
      description: `The caller's unread notifications about the ${subject}, newest first.`,
      select: (_args, { actor }, nested) => ({
        activities: {
          where: { companyId: actor.companyId, notifications: { some: unreadBy(actor) } },
          ...newestFirst,
          select: { notifications: nested({ where: unreadBy(actor) }) },
        },
      }),
      resolve: ({ activities }) => activities.flatMap(({ notifications }) => notifications),
    }),
  );
}
