import { versionCursor, versionList } from '../../lists/documentVersions.js';
import { builder } from '../builder.js';
import { checkedPage, connectionType, pageArguments } from '../types/Connection.js';
import { DocumentVersion } from '../types/DocumentVersion.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';
import { byId, nodesQuery, resolveConnection } from './resolveConnection.js';

const DocumentVersionConnection = connectionType(
  'DocumentVersion',
  DocumentVersion,
  'A page of the versions of a document, newest first.',
);

builder.prismaObjectField(ResourceHubDocument, 'versions', (t) =>
  t.field({
    type: DocumentVersionConnection,
    description: 'The versions of the document, newest first. Empty for a draft.',
    args: pageArguments,
    extensions: checkedPage(versionCursor),
    select: { id: true },
    resolve: ({ id }, args, context, info) =>
      resolveConnection(context, info, args, {
        list: versionList(context.actor),
        scope: id,
        load: byId(context, nodesQuery(context, info, 'DocumentVersion'), (query, where) =>
          context.db.documentVersion.findMany({ ...query, where }),
        ),
      }),
  }),
);
