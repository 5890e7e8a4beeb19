import { apiRoot, type StoredMutation } from './storedMutation.js';

export const deleteResourceHubFile: StoredMutation = {
  path: `${apiRoot}/delete_resource_hub_file`,
  title: 'Delete a file',
  document: `mutation deleteResourceHubFile($input: DeleteResourceHubFileInput!, $expectedState: String) {
    deleteResourceHubFile(input: $input, expectedState: $expectedState) { file { ...FileFields } }
  }`,
};
