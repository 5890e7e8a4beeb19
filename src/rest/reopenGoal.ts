import { apiRoot, type StoredMutation, withFragments } from './storedMutation.js';

interface Found {
  closed: Goals;
  open: Goals;
}

interface Goals {
  nodes: { id: string; name: string; reviewer: { id: string } | null; permissions: { canEdit: boolean } }[];
}

const goals = `{
  closed: goals(first: 50, filter: { closed: true, archived: false }) { ...Found }
  open: goals(first: 50, filter: { closed: false, archived: false }, orderBy: { field: UPDATED_AT, direction: DESC }) { ...Found }
}
fragment Found on GoalConnection { nodes { id name reviewer { id } permissions { canEdit } } }`;

const input = (id: string, subscriberIds: string[]) => ({
  id,
  message: 'We are not done yet',
  sendNotificationsToEveryone: true,
  subscriberIds,
});

export const reopenGoal: StoredMutation = {
  path: `${apiRoot}/reopen_goal`,
  title: 'Reopen a goal',
  document: withFragments(`mutation reopenGoal($input: ReopenGoalInput!) {
    reopenGoal(input: $input) { goal { ...GoalFields } }
  }`),
  example: {
    about: ['Reopens a closed goal and says why.', 'On an open goal it changes nothing.'],
    input: input('GOAL_ID', []),
    async choices(lookUp) {
      const { closed, open } = await lookUp<Found>(goals);
      const editable = (list?: Goals) => (list?.nodes ?? []).filter(({ permissions }) => permissions.canEdit);
      const choice = ({ id, name, reviewer }: Goals['nodes'][number], label = name) => ({
        label,
        input: input(id, reviewer ? [reviewer.id] : []),
      });
      const [last] = editable(open);
      const all = editable(closed).map((goal) => choice(goal));
      if (all.length > 0 || !last) return all;
      return [choice(last, `${last.name} (already open)`)];
    },
    selection: 'goal { id name isClosed status progressPercentage }',
    preview: `query PreviewGoalReopen($id: ID, $message: String, $sendNotificationsToEveryone: Boolean, $subscriberIds: [ID!]) {
      preview: previewGoalReopen(input: {
        id: $id, message: $message, sendNotificationsToEveryone: $sendNotificationsToEveryone, subscriberIds: $subscriberIds
      }) {
        changesSomething: wouldReopen
        notified(first: 10) { totalCount nodes { fullName } }
        subscribed(first: 10) { totalCount nodes { fullName } }
      }
    }`,
    next: { label: 'Reopen another goal', name: 'reopenGoal', from: {} },
  },
};
