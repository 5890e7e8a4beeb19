import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';
import { deletionAudienceList, deletionCursor } from '../../lists/recipients.js';
import { deleteResourceHubFile, type FilePreview, previewFileDelete } from '../../operations/deleteResourceHubFile.js';
import { keyOf } from '../../policies/access.js';
import { builder, everybody, keyColumns } from '../builder.js';
import { changes, expectedState, isEmpty, nullWithoutId, payloadOf, stateDescription, withoutId } from '../changes.js';
import { checkedPage, pageArguments, resolveConnection, rowsOfModel } from '../connections.js';
import { addActivity } from '../events/payloadActivity.js';
import { PersonConnection } from '../goals/reopenGoal.js';
import { plannedQuery } from '../plans.js';
import { ResourceHubFile } from './file.js';
import { readWithPath } from './folder.js';

/** Gives a preview the file of its `fileId`. */
export const addFile = (payload: Parameters<typeof builder.objectField>[0], description: string) =>
  builder.objectField(payload, 'file', (t) =>
    t.field({
      type: ResourceHubFile,
      nullable: true,
      description,
      resolve: ({ fileId }: { fileId: string | null }, _args, context, info) =>
        fileId === null
          ? null
          : context.db.resourceHubFile.findUniqueOrThrow({
              ...plannedQuery(context, info),
              where: keyOf(context.actor, fileId),
            }),
    }),
  );

const DeleteResourceHubFileInput = builder.inputType('DeleteResourceHubFileInput', {
  description: 'The input of `deleteResourceHubFile`.',
  fields: (t) => ({
    fileId: t.id({
      required: false,
      description: `The ID of the file to delete. ${withoutId('file')}`,
    }),
  }),
});

/** The payload of a mutation: a variant of the file, so that one query, which goes with the change, loads all of it. */
export function filePayload(mutation: string, description: string) {
  const payload = builder.prismaObject('ResourceHubFile', {
    select: keyColumns,
    variant: `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Payload`,
    description: `The result of \`${mutation}\`.`,
    fields: (t) => ({ file: t.variant(ResourceHubFile, { isNull: isEmpty, description }) }),
  });
  addActivity(payload);
  return payload;
}

/** Reads the file of such a payload. */
export const readFile =
  (context: Context, info: GraphQLResolveInfo) =>
  (db: Context['db'], id: string, folderId: string | null = null) => {
    const query = { ...plannedQuery(context, info, { select: keyColumns }), where: keyOf(context.actor, id) };
    return readWithPath(db.resourceHubFile.findUnique(query), { db, actor: context.actor, info }, folderId);
  };

const DeleteResourceHubFilePayload = filePayload(
  'deleteResourceHubFile',
  `The deleted file, as it was when it was deleted. ${nullWithoutId}`,
);

builder.mutationField('deleteResourceHubFile', (t) =>
  t.field({
    type: DeleteResourceHubFilePayload,
    description:
      'Deletes a file of a resource hub and notifies the people who follow it; its bytes, comments, reactions and subscriptions ' +
      'are kept. Requires edit access. Errors: NOT_FOUND, FORBIDDEN, STATE_CHANGED.',
    extensions: {
      ...changes<typeof DeleteResourceHubFileInput.$inferInput>('file', ({ fileId }) => fileId),
      errors: ['STATE_CHANGED'],
    },
    args: {
      input: t.arg({ type: DeleteResourceHubFileInput, required: true, description: 'The file to delete.' }),
      expectedState: t.arg.string(expectedState),
    },
    resolve: async (_root, { input, expectedState }, context, info) =>
      payloadOf(await deleteResourceHubFile(context, input, expectedState, readFile(context, info))),
  }),
);

const FileDeletePreview = builder.objectRef<FilePreview>('FileDeletePreview').implement({
  description: 'What `deleteResourceHubFile` would currently do with the same input.',
  fields: (t) => ({
    wouldChange: t.exposeBoolean('wouldChange', {
      description: 'Whether the file would be deleted. False if no ID was given.',
    }),
    state: t.exposeString('state', { nullable: true, description: stateDescription }),
    notified: t.field({
      type: PersonConnection,
      description: 'The people who would be notified.',
      args: pageArguments,
      extensions: checkedPage(deletionCursor),
      resolve: ({ fileId }, args, context, info) =>
        resolveConnection(context, info, args, {
          list: deletionAudienceList(context.actor, fileId),
          ...rowsOfModel(context, info, ['Person', context.db.person]),
        }),
    }),
  }),
});

addFile(FileDeletePreview, 'The file in its current state. Null if no ID was given.');

builder.queryField('previewFileDelete', (t) =>
  t.field({
    type: FileDeletePreview,
    extensions: everybody,
    nullable: true,
    description:
      'Previews what `deleteResourceHubFile` would do with this input, without changing anything; a read-only token can run it. ' +
      'Requires edit access. Errors: NOT_FOUND, FORBIDDEN.',
    args: { input: t.arg({ type: DeleteResourceHubFileInput, required: true, description: 'The input to preview.' }) },
    resolve: (_root, { input }, context) => previewFileDelete(context, input),
  }),
);
