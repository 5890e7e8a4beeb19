import { apiRoot } from './apiRoot.js';
import { withFragments } from './fragments.js';
import type { StoredMutation } from './storedMutation.js';

interface Found {
  closed?: Goals;
  open?: Goals;
}

interface Goals {
  nodes: { id: string; reviewer: { id: string } | null; permissions: { canEdit: boolean } }[];
}

export const reopenGoal: StoredMutation = {
  path: `${apiRoot}/reopen_goal`,
  title: 'Reopen a goal',
  document: withFragments(`mutation reopenGoal($input: ReopenGoalInput!) {
    reopenGoal(input: $input) { goal { ...GoalFields } }
  }`),
  example: {
    about: ['Reopens a closed goal and says why.', 'On an open goal it changes nothing.'],
    lookUp: `{
      closed: goals(first: 50, filter: { closed: true, archived: false }) { ...Found }
      open: goals(first: 50, filter: { closed: false, archived: false }, orderBy: { field: UPDATED_AT, direction: DESC }) { ...Found }
    }
    fragment Found on GoalConnection { nodes { id reviewer { id } permissions { canEdit } } }`,
    input({ closed, open }: Found) {
      const goals = [...(closed?.nodes ?? []), ...(open?.nodes ?? [])];
      const goal = goals.find(({ permissions }) => permissions.canEdit);
      return {
        id: goal?.id ?? 'GOAL_ID',
        message: 'We are not done yet',
        sendNotificationsToEveryone: true,
        subscriberIds: goal?.reviewer ? [goal.reviewer.id] : [],
      };
    },
    selection: 'goal { id name isClosed status progressPercentage }',
  },
};
