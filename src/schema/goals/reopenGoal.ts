import { audienceCursor, reopenAudienceList } from '../../lists/audiences.js';
import { previewReopenGoal, type ReopenGoalPreview, reopenGoal } from '../../operations/reopenGoal.js';
import { keyOf } from '../../policies/access.js';
import { builder, byKey, everybody, keyColumns } from '../builder.js';
import {
  addActivity,
  changes,
  expectedState,
  failsWith,
  type InputFields,
  isEmpty,
  nullWithoutId,
  payloadOf,
  previewField,
  recordToChange,
} from '../changes.js';
import { addPeople } from '../people/people.js';
import { plannedQuery } from '../plans.js';
import { Goal } from './goal.js';

const goalToReopen = (t: InputFields) => ({
  id: recordToChange(t, 'The ID of the goal to reopen.', 'goal'),
  message: t.string({
    required: false,
    description:
      'The message to post in a new thread: plain or rich text (ProseMirror JSON), at most 100,000 characters. If it is null, the thread is empty.',
    extensions: { maxLength: 100_000 },
  }),
  sendNotificationsToEveryone: t.boolean({
    required: false,
    description:
      "Whether to notify the members of the goal's space in addition to the subscribers. Null or absent is like false.",
  }),
  subscriberIds: t.idList({
    required: false,
    description:
      'The IDs of the people to subscribe to the thread, at most 10,000; repeated IDs count once. If it is null, nobody is invited.',
    extensions: { maxItems: 10_000 },
  }),
});

const ReopenGoalInput = builder.inputType('ReopenGoalInput', {
  description: 'The input of `reopenGoal`.',
  fields: (t) => ({ ...goalToReopen(t), ...expectedState(t) }),
});

// A variant of the goal, so that one query, which goes with the change, loads all of it.
const ReopenGoalPayload = builder.prismaObject('Goal', {
  ...byKey,
  variant: 'ReopenGoalPayload',
  description: 'The result of `reopenGoal`.',
  fields: (t) => ({
    goal: t.variant(Goal, {
      isNull: isEmpty,
      description: `The goal, which is now open. ${nullWithoutId}`,
    }),
  }),
});

addActivity(ReopenGoalPayload);

builder.mutationField('reopenGoal', (t) =>
  t.field({
    type: ReopenGoalPayload,
    ...failsWith(
      ['BAD_USER_INPUT', 'NOT_FOUND', 'FORBIDDEN', 'GOAL_ARCHIVED', 'STATE_CHANGED'],
      'Reopens a closed goal, posts the message in a new thread, and subscribes and notifies people; an open goal ' +
        'stays unchanged, and the message is not posted. Requires edit access.',
      changes<typeof ReopenGoalInput.$inferInput>('goal', ({ id }) => id),
    ),
    args: {
      input: t.arg({
        type: ReopenGoalInput,
        required: true,
        description: 'The goal to reopen, the message and the people to notify.',
      }),
    },
    resolve: async (_root, { input: { expectedState, ...input } }, context, info) =>
      payloadOf(
        await reopenGoal(context, input, expectedState, (db, id) =>
          db.goal.findUnique({
            ...plannedQuery(context, info, { select: keyColumns }),
            where: keyOf(context.actor, id),
          }),
        ),
      ),
  }),
);

const Preview = builder.objectRef<ReopenGoalPreview>('ReopenGoalPreview').implement({
  description: 'What `reopenGoal` would currently do.',
  fields: (t) => ({
    goal: t.field({
      type: Goal,
      nullable: true,
      description: 'The goal in its current state. Null if no ID was given.',
      resolve: ({ record }, _args, context, info) =>
        record &&
        context.db.goal.findUnique({ ...plannedQuery(context, info), where: keyOf(context.actor, record.id) }),
    }),
    wouldChange: t.exposeBoolean('wouldChange', {
      description: 'Whether the goal would be reopened. False if the goal is already open or no ID was given.',
    }),
    message: t.exposeString('message', {
      nullable: true,
      description: 'The message that would be posted. Null if there is none, or if the goal would not be reopened.',
    }),
  }),
});

const people = (whom: 'notified' | 'subscribed', description: string) =>
  addPeople(Preview, whom, description, audienceCursor(whom), ({ audience }, actor) =>
    reopenAudienceList(actor, audience, whom),
  );

people('notified', 'The people who would be notified. Empty if the goal would not be reopened.');
people(
  'subscribed',
  'The people who would be subscribed to the thread, including the caller. Empty if the goal would not be reopened.',
);

const errors = ['BAD_USER_INPUT', 'NOT_FOUND', 'FORBIDDEN', 'GOAL_ARCHIVED'] as const;

previewField(
  'reopenGoal',
  Preview,
  { record: Goal, fields: goalToReopen, errors, extensions: everybody },
  previewReopenGoal,
);
