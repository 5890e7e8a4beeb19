import { activityCursor, activityList } from '../../lists/activities.js';
import { callersAccess, canView } from '../../policies/access.js';
import {
  canViewDocument,
  canViewFile,
  canViewNameOfSubject,
  canViewSubject,
  subjectAccess,
} from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { Activity } from '../types/Activity.js';
import { checkedPage, connectionType, pageArguments } from '../types/Connection.js';
import { DocumentVersion } from '../types/DocumentVersion.js';
import { Goal } from '../types/Goal.js';
import { GoalOutcome } from '../types/GoalOutcome.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';
import { ResourceHubFile } from '../types/ResourceHubFile.js';
import { nodeColumns } from '../types/ResourceHubNode.js';
import { resolveConnection, rowsOfModel } from './resolveConnection.js';

builder.prismaObjectFields(Activity, (t) => ({
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
  goal: t.field({
    type: Goal,
    nullable: true,
    description:
      'The goal that the activity is about. Null if it is not about a goal, or if the caller cannot see the goal.',
    select: (_args, { actor }, nested) => ({ goal: nested({ select: { ...keyColumns, ...callersAccess(actor) } }) }),
    resolve: ({ goal }) => (goal && canView(goal) ? goal : null),
  }),
  file: t.field({
    type: ResourceHubFile,
    nullable: true,
    description:
      'The file that the activity is about. Null if it is not about a file, or if the file is deleted or the caller cannot see it.',
    select: (_args, { actor }, nested) => ({
      file: nested({ select: { ...nodeColumns, ...subjectAccess(actor).file.select } }),
    }),
    resolve: ({ file }) => (file && canViewFile(file) ? file : null),
  }),
  document: t.field({
    type: ResourceHubDocument,
    nullable: true,
    description:
      'The document that the activity is about. Null if it is not about a document, or if the caller cannot see the document.',
    select: (_args, { actor }, nested) => ({
      document: nested({ select: { ...nodeColumns, ...subjectAccess(actor).document.select } }),
    }),
    resolve: ({ document }, _args, { actor }) => (document && canViewDocument(actor, document) ? document : null),
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
