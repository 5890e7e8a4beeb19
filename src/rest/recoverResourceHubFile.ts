import { apiRoot, type StoredMutation } from './storedMutation.js';

export const recoverResourceHubFile: StoredMutation = {
  path: `${apiRoot}/recover_resource_hub_file`,
  title: 'Recover a deleted file',
  isAddition: true,
  document: `mutation recoverResourceHubFile($input: RecoverResourceHubFileInput!, $expectedState: String) {
    recoverResourceHubFile(input: $input, expectedState: $expectedState) { file { ...FileFields } }
  }`,
};
