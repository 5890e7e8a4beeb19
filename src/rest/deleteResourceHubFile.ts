import { apiRoot } from './apiRoot.js';
import { withFragments } from './fragments.js';
import { deepestFirst, type HubItems, hubItems } from './hubItems.js';
import type { StoredMutation } from './storedMutation.js';

type Found = HubItems<{ id: string; permissions?: { canDeleteFile: boolean } }>;

export const deleteResourceHubFile: StoredMutation = {
  path: `${apiRoot}/delete_resource_hub_file`,
  title: 'Delete a file',
  document: withFragments(`mutation deleteResourceHubFile($input: DeleteResourceHubFileInput!) {
    deleteResourceHubFile(input: $input) { file { ...FileFields } }
  }`),
  example: {
    about: ['Deletes a file; it can be recovered.', 'A second call answers NOT_FOUND.'],
    lookUp: hubItems('... on ResourceHubFile { permissions { canDeleteFile } }'),
    input(found: Found) {
      const file = deepestFirst(found).find(({ permissions }) => permissions?.canDeleteFile);
      // Null if no file is left to delete: the call then succeeds and does nothing.
      return { fileId: file?.id ?? (found.resourceHubs ? null : 'FILE_ID') };
    },
    selection: 'file { id name type size pathToFile { name } }',
  },
};
