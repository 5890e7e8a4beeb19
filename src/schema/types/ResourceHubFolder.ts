import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';
import { type AskedFolder, type Folder, folderPaths } from '../../lists/folderPaths.js';
import { builder } from '../builder.js';
import { selects } from '../selects.js';
import { sharedInOperation } from '../sharedInOperation.js';
import { wholeFolder } from '../weights.js';
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
    childrenCount: t.int({
      description: 'The number of folders, documents and files directly in the folder that the caller can see.',
      extensions: wholeFolder,
      resolve: ({ childrenCount }) => childrenCount as number,
    }),
  }),
});

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

// Nothing is kept, because a later field of a mutation may have changed what is in a folder.
const folders = sharedInOperation(
  ({ db, actor }) => new DataLoader<AskedFolder, Folder[]>((asked) => folderPaths(db, actor, asked), { cache: false }),
);

const load = async (id: string | null, withPath: boolean, context: Context, info: Info): Promise<Folder[]> =>
  id === null ? [] : folders(context).load({ id, withPath, withCounts: selects(info, 'childrenCount') });

/** The folders from the hub's root down to and including this folder. One statement serves all that ask at once. */
export const pathTo = (folderId: string | null, context: Context, info: Info) => load(folderId, true, context, info);

/** The folder, as {@link pathTo} finds it. */
export const folderOf = async (id: string | null, context: Context, info: Info): Promise<Folder | undefined> =>
  (await load(id, false, context, info))[0];
