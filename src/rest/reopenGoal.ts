import { apiRoot, type StoredMutation } from './storedMutation.js';

export const reopenGoal: StoredMutation = {
  path: `${apiRoot}/reopen_goal`,
  title: 'Reopen a goal',
  document: `mutation reopenGoal($input: ReopenGoalInput!, $expectedState: String) {
    reopenGoal(input: $input, expectedState: $expectedState) { goal { ...GoalFields } }
  }`,
};
