import DataLoader from 'dataloader';
import { versionCursor, versionList } from '../../lists/ofRecord.js';
import { builder, keyColumns } from '../builder.js';
import {
  checkedPage,
  connectionType,
  pageArguments,
  resolveConnection,
  rowsOfModel,
  sharedBySiblings,
} from '../connections.js';
import { plannedQuery } from '../plans.js';
import { ResourceHubDocument } from './document.js';
import { DocumentVersion } from './versions.js';

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
        ...rowsOfModel(context, info, ['DocumentVersion', context.db.documentVersion]),
      }),
  }),
);

builder.prismaObjectField(ResourceHubDocument, 'version', (t) =>
  t.field({
    type: DocumentVersion,
    nullable: true,
    description: 'The version of the document with that number. Null if there is none.',
    args: { number: t.arg.int({ required: true, description: 'The number of the version.' }) },
    select: { id: true },
    resolve: ({ id }, { number }, context, info) => {
      const query = plannedQuery(context, info, { select: { ...keyColumns, documentId: true } });
      const load = async (documentIds: readonly string[]) => {
        const documentId = { in: [...documentIds] };
        const where = { companyId: context.actor.companyId, documentId, versionNumber: number };
        const rows = await context.db.documentVersion.findMany({ ...query, where });
        const found = new Map(rows.map((row) => [row.documentId, row]));
        return documentIds.map((one) => found.get(one) ?? null);
      };
      return sharedBySiblings(context, info, () => new DataLoader(load)).load(id);
    },
  }),
);
