import { hubItems } from './hubItems.js';
import { apiRoot, type StoredMutation, withFragments } from './storedMutation.js';

interface Item {
  __typename: string;
  id: string;
  name: string;
  permissions?: { canDeleteFile: boolean };
}

export const deleteResourceHubFile: StoredMutation = {
  path: `${apiRoot}/delete_resource_hub_file`,
  title: 'Delete a file',
  document: withFragments(`mutation deleteResourceHubFile($input: DeleteResourceHubFileInput!) {
    deleteResourceHubFile(input: $input) { file { ...FileFields } }
  }`),
  example: {
    about: ['Deletes a file; it can be recovered.', 'A second call fails with NOT_FOUND.'],
    input: { fileId: 'FILE_ID' },
    async choices(lookUp) {
      const items = await hubItems<Item>(lookUp, '... on ResourceHubFile { permissions { canDeleteFile } }');
      const files = items.filter(({ permissions }) => permissions?.canDeleteFile);
      // With null, the call succeeds and does nothing.
      if (files.length === 0) return [{ label: 'No file is left', input: { fileId: null } }];
      return files.map(({ id, name }) => ({ label: name, input: { fileId: id } }));
    },
    selection: 'file { id name type size pathToFile { name } }',
    next: { label: 'Recover this file', name: 'recoverResourceHubFile', from: { fileId: 'fileId' } },
  },
};
