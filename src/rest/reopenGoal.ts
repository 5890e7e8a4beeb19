import { apiRoot, type StoredMutation, withFragments } from './storedMutation.js';

export const reopenGoal: StoredMutation = {
  path: `${apiRoot}/reopen_goal`,
  title: 'Reopen a goal',
  document: withFragments(`mutation reopenGoal($input: ReopenGoalInput!, $expectedState: String) {
    reopenGoal(input: $input, expectedState: $expectedState) { goal { ...GoalFields } }
  }`),
};
