import { type ReopenedGoal, reopenGoal } from '../../operations/reopenGoal.js';
import { keyOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { changes } from '../changes.js';
import { addActivity } from '../fields/payloadActivity.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { Goal } from '../types/Goal.js';

export const ReopenGoalInput = builder.inputType('ReopenGoalInput', {
  description: 'The input of `reopenGoal`.',
  fields: (t) => ({
    id: t.id({
      required: false,
      description: 'The ID of the goal to reopen. If it is null or absent, nothing changes.',
    }),
    message: t.string({
      required: false,
      description:
        'The message to post in a new thread: plain or rich text (ProseMirror JSON), at most 100,000 characters. If it is null, the thread is empty.',
      extensions: { maxLength: 100_000 },
    }),
    sendNotificationsToEveryone: t.boolean({
      required: false,
      description: "Whether to notify the members of the goal's space in addition to the subscribers. Default: false.",
    }),
    subscriberIds: t.idList({
      required: false,
      description:
        'The IDs of the people to subscribe to the thread, at most 10,000; repeated IDs count once. If it is null, nobody is invited.',
      extensions: { maxItems: 10_000 },
    }),
  }),
});

const ReopenGoalPayload = builder.objectRef<ReopenedGoal>('ReopenGoalPayload').implement({
  description: 'The result of `reopenGoal`.',
  fields: (t) => ({
    goal: t.field({
      type: Goal,
      nullable: true,
      description: 'The goal, which is now open. Null if no ID was given.',
      resolve: ({ goalId }, _args, context, info) =>
        goalId === null
          ? null
          : context.db.goal.findUniqueOrThrow({ ...plannedQuery(context, info), where: keyOf(context.actor, goalId) }),
    }),
  }),
});

addActivity(ReopenGoalPayload);

builder.mutationField('reopenGoal', (t) =>
  t.field({
    type: ReopenGoalPayload,
    description:
      'Reopens a closed goal, posts the message in a new thread, and subscribes and notifies people; an open goal stays ' +
      'unchanged. Requires edit access. Errors: BAD_USER_INPUT, NOT_FOUND, FORBIDDEN, GOAL_ARCHIVED.',
    extensions: { ...changes<typeof ReopenGoalInput.$inferInput>('goal', ({ id }) => id), errors: ['GOAL_ARCHIVED'] },
    args: {
      input: t.arg({
        type: ReopenGoalInput,
        required: true,
        description: 'The goal to reopen, the message and the people to notify.',
      }),
    },
    resolve: (_root, { input }, context) => reopenGoal(context, input),
  }),
);
