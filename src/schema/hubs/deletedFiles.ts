import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';
import {
  deletedAnywhereCursor,
  deletedFileCursor,
  deletedFileList,
  filesDeletedAnywhere,
} from '../../lists/ofRecord.js';
import { callersAccess, canEdit, recoverableFile } from '../../policies/access.js';
import { builder, everyName, namedText } from '../builder.js';
import {
  checkedPage,
  checkedSearch,
  connectionType,
  pageArguments,
  resolveConnection,
  rowsOfModel,
} from '../connections.js';
import { Person } from '../people/people.js';
import { ResourceHubFile } from './filesAndDocuments.js';
import { ResourceHub } from './resourceHub.js';

builder.prismaObjectFields(ResourceHubFile, (t) => ({
  deletedAt: t.expose('deletedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the file was deleted. Null unless it is deleted.',
  }),
  deletedBy: t.relation('deletedBy', {
    type: Person,
    nullable: true,
    description: 'The person who deleted the file. Null unless it is deleted, or if unknown.',
  }),
}));

const ResourceHubFileConnection = connectionType(
  'ResourceHubFile',
  ResourceHubFile,
  'A page of files, the most recently deleted first.',
);

/** Asks again of each row whether the caller may recover it. */
const loadRecoverable = (context: Context, info: GraphQLResolveInfo) =>
  rowsOfModel(context, info, ['ResourceHubFile', context.db.resourceHubFile], recoverableFile(context.actor)).load;

builder.prismaObjectField(ResourceHub, 'deletedFiles', (t) =>
  t.field({
    type: ResourceHubFileConnection,
    nullable: true,
    description:
      'The deleted files of the hub, the most recently deleted first. ' +
      'Null if the caller cannot delete files there.',
    args: pageArguments,
    extensions: checkedPage(deletedFileCursor),
    select: (_args, { actor }) => ({ id: true, ...callersAccess(actor) }),
    resolve: (hub, args, context, info) =>
      canEdit(hub)
        ? resolveConnection(context, info, args, {
            list: deletedFileList(context.actor),
            scope: hub.id,
            load: loadRecoverable(context, info),
          })
        : null,
  }),
);

builder.queryField('deletedFiles', (t) =>
  t.field({
    type: ResourceHubFileConnection,
    description:
      'Finds deleted files in all hubs in which the caller can delete and recover files, the most recently deleted first. ' +
      'Error: BAD_USER_INPUT.',
    extensions: { ...everyName, ...checkedSearch(deletedAnywhereCursor) },
    args: {
      text: t.arg.string({
        required: false,
        description:
          'Words of the name, file name or hub, ignoring case and accents. If it is null, returns all deleted files.',
        extensions: namedText,
      }),
      ...pageArguments,
    },
    resolve: (_root, { text, ...args }, context, info) =>
      resolveConnection(context, info, args, {
        list: filesDeletedAnywhere(context.actor, text),
        load: loadRecoverable(context, info),
      }),
  }),
);
