import { audienceCursor, reopenAudienceList } from '../../lists/audiences.js';
import { previewReopenGoal, type ReopenGoalPreview, reopenGoal } from '../../operations/reopenGoal.js';
import { builder, byKey, everybody, keyColumns, rowOf } from '../builder.js';
import {
  addActivity,
  type InputFields,
  isEmpty,
  nullWithoutId,
  operationField,
  previewField,
  recordToChange,
} from '../changes.js';
import { addPeople } from '../people/people.js';
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

const errors = ['BAD_USER_INPUT', 'NOT_FOUND', 'FORBIDDEN', 'GOAL_ARCHIVED'] as const;

operationField(
  'reopenGoal',
  {
    payload: ReopenGoalPayload,
    about:
      'Reopens a closed goal, posts the message in a new thread, and subscribes and notifies people; an open goal ' +
      'stays unchanged, and the message is not posted.',
    fields: goalToReopen,
    input: 'The goal to reopen, the message and the people to notify.',
    errors,
    kind: 'goal',
    idOf: ({ id }) => id,
  },
  (context, input, expectedState, info) =>
    reopenGoal(context, input, expectedState, (db, id) =>
      db.goal.findUnique(rowOf(context, info, id, { select: keyColumns })),
    ),
);

const Preview = builder.objectRef<ReopenGoalPreview>('ReopenGoalPreview').implement({
  description: 'What `reopenGoal` would currently do.',
  fields: (t) => ({
    goal: t.field({
      type: Goal,
      nullable: true,
      description: 'The goal in its current state. Null if no ID was given.',
      resolve: ({ record }, _args, context, info) =>
        record && context.db.goal.findUnique(rowOf(context, info, record.id)),
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

previewField(
  'reopenGoal',
  Preview,
  { record: Goal, fields: goalToReopen, errors, extensions: everybody },
  previewReopenGoal,
);
