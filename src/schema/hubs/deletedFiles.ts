import { deletedFileCursor, deletedFileList } from '../../lists/ofRecord.js';
import { callersAccess, canEdit } from '../../policies/access.js';
import { recoverableFile } from '../../policies/recovery.js';
import { builder } from '../builder.js';
import { byId, checkedPage, connectionType, nodesQuery, pageArguments, resolveConnection } from '../connections.js';
import { Person } from '../people/person.js';
import { ResourceHubFile } from './file.js';
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
            load: byId(context, nodesQuery(context, info, 'ResourceHubFile'), (query, where) =>
              context.db.resourceHubFile.findMany({ ...query, where: { ...where, ...recoverableFile(context.actor) } }),
            ),
          })
        : null,
  }),
);
