import { reopenGoal } from '../../operations/reopenGoal.js';
import { builder } from '../builder.js';
import { Goal } from '../types/Goal.js';

export const ReopenGoalInput = builder.inputType('ReopenGoalInput', {
  description: 'Which goal to reopen, what to say, and whom to tell.',
  fields: (t) => ({
    id: t.id({ required: false, description: 'Id of the goal. Absent or null: nothing is done.' }),
    message: t.string({
      required: false,
      description:
        'What to say, plain or rich text (ProseMirror JSON), at most 100,000 characters. Null: an empty thread.',
      extensions: { maxLength: 100_000 },
    }),
    sendNotificationsToEveryone: t.boolean({
      required: false,
      description: "Whether to notify the members of the goal's space too, not only the subscribers. Null: false.",
    }),
    subscriberIds: t.idList({
      required: false,
      description: 'Ids of people to subscribe to the thread, at most 10,000; repeated ids count once. Null: nobody.',
      extensions: { maxItems: 10_000 },
    }),
  }),
});

const ReopenGoalPayload = builder.objectRef<{ goalId: string | null }>('ReopenGoalPayload').implement({
  description: 'The outcome of `reopenGoal`.',
  fields: (t) => ({
    goal: t.prismaField({
      type: Goal,
      nullable: true,
      description: 'The goal, open; null when no id was given.',
      resolve: (query, { goalId }, _args, { db }) =>
        goalId === null ? null : db.goal.findUniqueOrThrow({ ...query, where: { id: goalId } }),
    }),
  }),
});

builder.mutationField('reopenGoal', (t) =>
  t.field({
    type: ReopenGoalPayload,
    description:
      'Reopens a closed goal: posts the message in a new thread, subscribes and notifies. An open goal is left as it is. ' +
      'Needs edit access. Errors: BAD_USER_INPUT, NOT_FOUND, FORBIDDEN, GOAL_ARCHIVED.',
    extensions: { errors: ['GOAL_ARCHIVED'] },
    args: { input: t.arg({ type: ReopenGoalInput, required: true, description: 'The goal and the message.' }) },
    resolve: (_root, { input }, context) => reopenGoal(context, input),
  }),
);
