import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';
import type { Position } from '../../lists/engine/list.js';
import { rankOf } from '../../lists/resourceHubNodes.js';
import { visibleDocument, visibleFile } from '../../policies/visibility.js';
import { folderOf } from '../types/ResourceHubFolder.js';
import type { NodeShape } from '../types/ResourceHubNode.js';
import { byId, nodesQuery } from './resolveConnection.js';

/** Loads the nodes at the positions, with one query for each kind. */
export function loadNodes(context: Context, info: GraphQLResolveInfo) {
  const { db, actor } = context;
  const loaders = {
    folder: byId(context, {}, async (_query, { id }) =>
      (await Promise.all(id.in.map((folder) => folderOf(folder, context, info)))).flatMap((folder) => folder ?? []),
    ),
    document: byId(context, nodesQuery(context, info, 'ResourceHubDocument'), (query, where) =>
      db.resourceHubDocument.findMany({
        ...query,
        where: { ...where, ...visibleDocument(actor) },
      }),
    ),
    file: byId(context, nodesQuery(context, info, 'ResourceHubFile'), (query, where) =>
      db.resourceHubFile.findMany({
        ...query,
        where: { ...where, ...visibleFile(actor) },
      }),
    ),
  };
  return async (positions: Position[]) => {
    const found = new Map<Position, NodeShape>();
    await Promise.all(
      kinds.map(async (kind) => {
        const ofKind = positions.filter(({ rank }) => rank === rankOf[kind]);
        const rows: (NodeShape | undefined)[] = ofKind.length > 0 ? await loaders[kind](ofKind) : [];
        for (const [index, row] of rows.entries()) {
          const position = ofKind[index];
          if (row && position) found.set(position, Object.assign(row, { __typename: typeNames[kind] }));
        }
      }),
    );
    return positions.map((position) => found.get(position));
  };
}

const kinds = ['folder', 'document', 'file'] as const;
const typeNames = { folder: 'ResourceHubFolder', document: 'ResourceHubDocument', file: 'ResourceHubFile' };
