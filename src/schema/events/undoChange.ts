import { previewUndoChange, type UndoChangePreview, undoChange } from '../../operations/undo.js';
import { keyOf } from '../../policies/access.js';
import { builder, rowOf, twoLongTexts } from '../builder.js';
import { addActivity, type InputFields, operationField, previewField } from '../changes.js';
import { DocumentDifference } from '../hubs/versions.js';
import { Activity, ActivityAction, ActivitySubject } from './activity.js';

const changeToUndo = (t: InputFields) => ({
  activityId: t.id({ required: true, description: 'The ID of the activity of the change to take back.' }),
});

const UndoChangePayload = builder
  .objectRef<{ activityId: string | null }>('UndoChangePayload')
  .implement({ description: 'The result of `undoChange`.' });

addActivity(UndoChangePayload);

const errors = ['BAD_USER_INPUT', 'NOT_FOUND', 'FORBIDDEN', 'CANNOT_BE_UNDONE'] as const;

operationField(
  'undoChange',
  {
    payload: UndoChangePayload,
    about:
      'Takes back a change that an operation has made: reopens, closes, recovers or deletes again, or restores the ' +
      'version before, and withdraws unread notifications. A change that is taken back already stays so. Not part ' +
      'of the documented API.',
    fields: changeToUndo,
    input: 'The change to take back.',
    errors,
    kind: 'activity',
    idOf: ({ activityId }) => activityId,
  },
  undoChange,
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
        context.db.activity.findUniqueOrThrow(rowOf(context, info, changeId)),
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

previewField(
  'undoChange',
  Preview,
  { record: ActivitySubject, fields: changeToUndo, errors, extensions: twoLongTexts },
  previewUndoChange,
);
