import { withFragments } from './fragments.js';
import type { StoredMutation } from './storedMutation.js';

export const reopenGoal: StoredMutation = {
  path: '/api/external/v1/reopen_goal',
  document: withFragments(`mutation reopenGoal($input: ReopenGoalInput!) {
    reopenGoal(input: $input) { goal { ...GoalFields } }
  }`),
};
