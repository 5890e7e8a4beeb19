import { apiRoot, type StoredMutation, withFragments } from './storedMutation.js';

interface Found {
  resourceHubs: { nodes: { deletedFiles: { nodes: { id: string; name: string }[] } | null }[] };
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
    input: { fileId: 'FILE_ID' },
    async choices(lookUp) {
      const { resourceHubs } = await lookUp<Found>(
        '{ resourceHubs(first: 5) { nodes { deletedFiles(first: 10) { nodes { id name } } } } }',
      );
      const files = resourceHubs?.nodes.flatMap(({ deletedFiles }) => deletedFiles?.nodes ?? []) ?? [];
      // With null, the call succeeds and does nothing.
      if (files.length === 0) return [{ label: 'No file is deleted', input: { fileId: null } }];
      return files.map(({ id, name }) => ({ label: name, input: { fileId: id } }));
    },
    selection: 'file { id name pathToFile { name } }',
    next: { label: 'Delete this file again', name: 'deleteResourceHubFile', from: { fileId: 'fileId' } },
  },
};
