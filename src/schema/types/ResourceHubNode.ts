import { builder } from '../builder.js';

export interface NodeShape {
  id: string;
  name: string;
  resourceHubId: string;
  parentFolderId: string | null;
}

export const ResourceHubNode = builder.interfaceRef<NodeShape>('ResourceHubNode').implement({
  description: 'What lies in a resource hub: a folder, a document or a file.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the folder, document or file; unique among those of its type.' }),
    name: t.exposeString('name', { description: 'Its name, or the title of a document.' }),
    resourceHubId: t.exposeID('resourceHubId', { description: 'Id of the hub it lies in.' }),
    parentFolderId: t.exposeID('parentFolderId', {
      nullable: true,
      description: "Id of the folder it lies in; null at the hub's root.",
    }),
  }),
});
