import { apiRoot } from './apiRoot.js';
import { withFragments } from './fragments.js';
import type { StoredMutation } from './storedMutation.js';

interface Found {
  resourceHubs?: { nodes: { deletedFiles: { nodes: { id: string }[] } | null }[] };
}

export const recoverResourceHubFile: StoredMutation = {
  path: `${apiRoot}/recover_resource_hub_file`,
  title: 'Recover a deleted file',
  isAddition: true,
  document: withFragments(`mutation recoverResourceHubFile($input: RecoverResourceHubFileInput!) {
    recoverResourceHubFile(input: $input) { file { ...FileFields } }
  }`),
  example: {
    about: ['Brings a deleted file back.', 'A file that is not deleted stays as it is.'],
    lookUp: '{ resourceHubs(first: 5) { nodes { deletedFiles(first: 1) { nodes { id } } } } }',
    input({ resourceHubs }: Found) {
      const [file] = resourceHubs?.nodes.flatMap(({ deletedFiles }) => deletedFiles?.nodes ?? []) ?? [];
      // Null if no file is deleted: the call then succeeds and does nothing.
      return { fileId: file?.id ?? (resourceHubs ? null : 'FILE_ID') };
    },
    selection: 'file { id name pathToFile { name } }',
  },
};
