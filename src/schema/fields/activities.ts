import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';
import { activityList } from '../../lists/activities.js';
import type { PageArguments } from '../../lists/engine/slice.js';
import {
  callersAccess,
  canView,
  canViewDocument,
  canViewFile,
  canViewSubject,
  subjectAccess,
} from '../../policies/access.js';
import { builder } from '../builder.js';
import { Activity } from '../types/Activity.js';
import { connectionType, pageArguments } from '../types/Connection.js';
import { DocumentVersion } from '../types/DocumentVersion.js';
import { Goal } from '../types/Goal.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';
import { ResourceHubFile } from '../types/ResourceHubFile.js';
import { byId, connect, nodesQuery } from './resolveConnection.js';

builder.prismaObjectFields(Activity, (t) => ({
  message: t.string({
    nullable: true,
    description:
      'What the author said with it, plain or rich text (ProseMirror JSON); null without words, or when the caller may not (any longer) see what it is about.',
    select: (_args, { actor }) => ({ thread: { select: { message: true } }, ...subjectAccess(actor) }),
    resolve: (activity, _args, { actor }) => (canViewSubject(actor, activity) ? activity.thread?.message : null),
  }),
  documentVersion: t.field({
    type: DocumentVersion,
    nullable: true,
    description:
      'The version that a restore added; null for other actions, or when the caller may not see the document.',
    select: (_args, { actor }, nested) => ({ documentVersion: nested(true), ...subjectAccess(actor) }),
    resolve: (activity, _args, { actor }) => (canViewSubject(actor, activity) ? activity.documentVersion : null),
  }),
  goal: t.field({
    type: Goal,
    nullable: true,
    description: 'The goal it is about; null when it is about something else, or the caller may not see the goal.',
    select: (_args, { actor }, nested) => ({ goal: nested({ include: callersAccess(actor) }) }),
    resolve: ({ goal }) => (goal && canView(goal) ? goal : null),
  }),
  file: t.field({
    type: ResourceHubFile,
    nullable: true,
    description:
      'The file it is about; null when it is about something else, the file is deleted, or the caller may not see it.',
    select: (_args, { actor }, nested) => ({
      file: nested({ include: { resourceHub: { select: callersAccess(actor) } } }),
    }),
    resolve: ({ file }) => (file && canViewFile(file) ? file : null),
  }),
  document: t.field({
    type: ResourceHubDocument,
    nullable: true,
    description:
      'The document it is about; null when it is about something else, or the caller may not see the document.',
    select: (_args, { actor }, nested) => ({
      document: nested({ include: { resourceHub: { select: callersAccess(actor) } } }),
    }),
    resolve: ({ document }, _args, { actor }) => (document && canViewDocument(actor, document) ? document : null),
  }),
}));

const ActivityConnection = connectionType('Activity', Activity, 'A page of activities, newest first.');

const activitiesOf =
  (subject: 'goal' | 'file' | 'document') =>
  ({ id }: { id: string }, args: PageArguments, context: Context, info: GraphQLResolveInfo) =>
    connect(context, info, args, {
      list: activityList(subject),
      scope: id,
      load: byId(nodesQuery(context, info, 'Activity'), (query, where) =>
        context.db.activity.findMany({ ...query, where: where }),
      ),
    });

builder.prismaObjectField(Goal, 'activities', (t) =>
  t.field({
    type: ActivityConnection,
    description: 'What was done to the goal, newest first.',
    args: pageArguments,
    select: { id: true },
    resolve: activitiesOf('goal'),
  }),
);

builder.prismaObjectField(ResourceHubFile, 'activities', (t) =>
  t.field({
    type: ActivityConnection,
    description: 'What was done to the file, newest first.',
    args: pageArguments,
    select: { id: true },
    resolve: activitiesOf('file'),
  }),
);

builder.prismaObjectField(ResourceHubDocument, 'activities', (t) =>
  t.field({
    type: ActivityConnection,
    description: 'What was done to the document, newest first.',
    args: pageArguments,
    select: { id: true },
    resolve: activitiesOf('document'),
  }),
);
