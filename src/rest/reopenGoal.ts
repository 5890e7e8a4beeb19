import { apiRoot, type StoredMutation, withFragments } from './storedMutation.js';

export const reopenGoal: StoredMutation = {
  path: `${apiRoot}/reopen_goal`,
  title: 'Reopen a goal',
  document: withFragments(`mutation reopenGoal($input: ReopenGoalInput!) {
    reopenGoal(input: $input) { goal { ...GoalFields } }
  }`),
};
