import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';

export interface NodeShape {
  id: string;
  name: string;
  resourceHubId: string;
  parentFolderId: string | null;
}

/** What the fields of every node need, whichever type it turns out to be. */
export const nodeColumns = { ...keyColumns, name: true, resourceHubId: true, parentFolderId: true } as const;

export const ResourceHubNode = builder.interfaceRef<NodeShape>('ResourceHubNode').implement({
  description: 'A folder, document or file of a resource hub.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the folder, document or file. It is unique within its type.' }),
    name: t.exposeString('name', { description: 'The name of the folder or file, or the title of the document.' }),
    resourceHubId: t.exposeID('resourceHubId', { description: 'The ID of the hub that the node is in.' }),
    parentFolderId: t.exposeID('parentFolderId', {
      nullable: true,
      description: "The ID of the folder that the node is in. Null if it is at the hub's root.",
    }),
  }),
});
