import { activityCursor, activityList } from '../../lists/ofRecord.js';
import { callersAccess, canView } from '../../policies/access.js';
import {
  canViewDocument,
  canViewFile,
  canViewNameOfSubject,
  canViewSubject,
  subjectAccess,
} from '../../policies/visibility.js';
import { subjectOf } from '../../rules/activityActions.js';
import { builder, enumOf, keyColumns } from '../builder.js';
import { checkedPage, connectionType, pageArguments, resolveConnection, rowsOfModel } from '../connections.js';
import { Goal } from '../goals/goal.js';
import { ResourceHubDocument } from '../hubs/document.js';
import { ResourceHubFile } from '../hubs/file.js';
import { nodeColumns } from '../hubs/folder.js';
import { DocumentVersion } from '../hubs/versions.js';
import { Person } from '../people/person.js';
import { Activity } from './activity.js';

// A variant of the activity that keeps it, so that one query loads both.
const GoalOutcome = builder.prismaObject('Activity', {
  select: keyColumns,
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

const ActivitySubject = builder.unionType('ActivitySubject', {
  description: 'What an activity is about.',
  types: [Goal, ResourceHubFile, ResourceHubDocument],
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
    select: { action: true },
    resolve: ({ action }) => subjectKinds[subjectOf(action)],
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
  documentVersion: t.field({
    type: DocumentVersion,
    nullable: true,
    description:
      'The version that was added by a restore. Null for other actions, or if the caller cannot see the document.',
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

const ActivityConnection = connectionType('Activity', Activity, 'A page of activities, newest first.');

const subjects = [
  ['goal', Goal],
  ['file', ResourceHubFile],
  ['document', ResourceHubDocument],
] as const;

for (const [subject, type] of subjects) {
  builder.prismaObjectField(type, 'activities', (t) =>
    t.field({
      type: ActivityConnection,
      description: `The activities on the ${subject}, newest first.`,
      args: pageArguments,
      extensions: checkedPage(activityCursor(subject)),
      select: { id: true },
      resolve: ({ id }, args, context, info) =>
        resolveConnection(context, info, args, {
          list: activityList(context.actor, subject),
          scope: id,
          ...rowsOfModel(context, info, ['Activity', context.db.activity]),
        }),
    }),
  );
}
