import { previewUndoChange, type UndoChangePreview, undoChange } from '../../operations/undo.js';
import { keyOf } from '../../policies/access.js';
import { builder, twoLongTexts } from '../builder.js';
import { addActivity, changes, expectedState, failsWith, type InputFields, previewField } from '../changes.js';
import { DocumentDifference } from '../hubs/versions.js';
import { plannedQuery } from '../plans.js';
import { Activity, ActivityAction, ActivitySubject } from './activity.js';

const changeToUndo = (t: InputFields) => ({
  activityId: t.id({ required: true, description: 'The ID of the activity of the change to take back.' }),
});

const UndoChangeInput = builder.inputType('UndoChangeInput', {
  description: 'The input of `undoChange`.',
  fields: (t) => ({ ...changeToUndo(t), ...expectedState(t) }),
});

const UndoChangePayload = builder
  .objectRef<{ activityId: string | null }>('UndoChangePayload')
  .implement({ description: 'The result of `undoChange`.' });

addActivity(UndoChangePayload);

builder.mutationField('undoChange', (t) =>
  t.field({
    type: UndoChangePayload,
    ...failsWith(
      ['BAD_USER_INPUT', 'NOT_FOUND', 'FORBIDDEN', 'CANNOT_BE_UNDONE', 'STATE_CHANGED'],
      'Takes back a change that an operation has made: reopens, closes, recovers or deletes again, or restores the ' +
        'version before, and withdraws unread notifications. A change that is taken back already stays so. Not part ' +
        'of the documented API. Requires edit access.',
      changes<typeof UndoChangeInput.$inferInput>('activity', ({ activityId }) => activityId),
    ),
    args: { input: t.arg({ type: UndoChangeInput, required: true, description: 'The change to take back.' }) },
    resolve: (_root, { input: { expectedState, ...input } }, context) => undoChange(context, input, expectedState),
  }),
);

const Preview = builder.objectRef<UndoChangePreview>('UndoChangePreview').implement({
  description: 'What `undoChange` would currently do.',
  fields: (t) => ({
    wouldChange: t.exposeBoolean('wouldChange', {
      description: 'Whether the change would be taken back. False if it is already.',
    }),
    action: t.expose('action', { type: ActivityAction, description: 'The action that would take the change back.' }),
    undoes: t.field({
      type: Activity,
      description: 'The activity of the change.',
      resolve: ({ changeId }, _args, context, info) =>
        context.db.activity.findUniqueOrThrow({
          ...plannedQuery(context, info),
          where: keyOf(context.actor, changeId),
        }),
    }),
    difference: t.field({
      type: DocumentDifference,
      nullable: true,
      extensions: twoLongTexts,
      description:
        'The difference between a document before and after. Null for a goal or file, or if nothing would change.',
      resolve: async ({ record, wouldChange, changes: { name, content } }, _args, { db, actor }) => {
        if (!record || !wouldChange || name === undefined || content === undefined) return null;
        const where = keyOf(actor, record.id);
        const before = await db.resourceHubDocument.findUnique({ where, select: { name: true, content: true } });
        return before && { before: { title: before.name, content: before.content }, after: { title: name, content } };
      },
    }),
  }),
});

const errors = ['BAD_USER_INPUT', 'NOT_FOUND', 'FORBIDDEN', 'CANNOT_BE_UNDONE'] as const;

previewField(
  'undoChange',
  Preview,
  { record: ActivitySubject, fields: changeToUndo, errors, extensions: twoLongTexts },
  previewUndoChange,
);
