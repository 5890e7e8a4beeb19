import { apiRoot, type StoredMutation, withFragments } from './storedMutation.js';

export const deleteResourceHubFile: StoredMutation = {
  path: `${apiRoot}/delete_resource_hub_file`,
  title: 'Delete a file',
  document: withFragments(`mutation deleteResourceHubFile($input: DeleteResourceHubFileInput!, $expectedState: String) {
    deleteResourceHubFile(input: $input, expectedState: $expectedState) { file { ...FileFields } }
  }`),
};
