import { createContextCache } from '@pothos/core';
import DataLoader from 'dataloader';
import type { Context } from '../../context.js';
import { type Folder, folderPaths } from '../../lists/folderPaths.js';
import { builder } from '../builder.js';
import { ResourceHubNode } from './ResourceHubNode.js';

export const ResourceHubFolder = builder.objectRef<Folder>('ResourceHubFolder').implement({
  interfaces: [ResourceHubNode],
  description: 'A folder of a resource hub.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the folder.' }),
    name: t.exposeString('name', { description: 'The name of the folder.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'The description of the folder: plain or rich text (ProseMirror JSON). Null if there is none.',
    }),
    resourceHubId: t.exposeID('resourceHubId', { description: 'The ID of the hub that the folder is in.' }),
    parentFolderId: t.exposeID('parentFolderId', {
      nullable: true,
      description: "The ID of the parent folder. Null if the folder is at the hub's root.",
    }),
    childrenCount: t.exposeInt('childrenCount', {
      description: 'The number of folders, documents and files directly in the folder that the caller can see.',
    }),
  }),
});

// Nothing is kept, because a later field of a mutation may have changed what is in a folder.
const paths = createContextCache(
  ({ db, actor }: Context) => new DataLoader<string, Folder[]>((ids) => folderPaths(db, actor, ids), { cache: false }),
);

/** The folders from the hub's root down to and including this folder. One statement serves all that ask at once. */
export const pathTo = async (folderId: string | null, context: Context): Promise<Folder[]> =>
  folderId === null ? [] : paths(context).load(folderId);
