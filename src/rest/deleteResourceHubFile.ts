import { withFragments } from './fragments.js';
import type { StoredMutation } from './storedMutation.js';

export const deleteResourceHubFile: StoredMutation = {
  path: '/api/external/v1/delete_resource_hub_file',
  document: withFragments(`mutation deleteResourceHubFile($input: DeleteResourceHubFileInput!) {
    deleteResourceHubFile(input: $input) { file { ...FileFields } }
  }`),
};
