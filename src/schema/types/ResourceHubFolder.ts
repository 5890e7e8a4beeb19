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
    id: t.exposeID('id', { description: 'Id of the folder.' }),
    name: t.exposeString('name', { description: 'Name of the folder.' }),
    description: t.exposeString('description', { nullable: true, description: 'What is in it; null when not said.' }),
    resourceHubId: t.exposeID('resourceHubId', { description: 'Id of its resource hub.' }),
    parentFolderId: t.exposeID('parentFolderId', {
      nullable: true,
      description: 'Id of the folder it lies in; null at the root.',
    }),
    childrenCount: t.exposeInt('childrenCount', {
      description: 'Number of folders, files and documents directly in it that the caller may see.',
    }),
  }),
});

const paths = createContextCache(
  ({ db, actor }: Context) => new DataLoader<string, Folder[]>((ids) => folderPaths(db, actor, ids)),
);

/** The folders from the hub's root down to this one; one statement for all that a request asks for. */
export const pathTo = async (folderId: string | null, context: Context): Promise<Folder[]> =>
  folderId === null ? [] : paths(context).load(folderId);
