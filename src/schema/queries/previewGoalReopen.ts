import { audienceCursor, reopenAudienceList } from '../../lists/reopenAudience.js';
import { type GoalReopenPreview, previewGoalReopen } from '../../operations/previewGoalReopen.js';
import { keyOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { resolveConnection, rowsOfModel } from '../fields/resolveConnection.js';
import { ReopenGoalInput } from '../mutations/reopenGoal.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { checkedPage, connectionType, pageArguments } from '../types/Connection.js';
import { Goal } from '../types/Goal.js';
import { Person } from '../types/Person.js';
import { everybody } from '../weights.js';

const PersonConnection = connectionType('Person', Person, 'A page of people, sorted by name.');

const Preview = builder.objectRef<GoalReopenPreview>('GoalReopenPreview').implement({
  description: 'What `reopenGoal` would currently do with the same input.',
  fields: (t) => {
    const people = (whom: 'notified' | 'subscribed', description: string) =>
      t.field({
        type: PersonConnection,
        description,
        args: pageArguments,
        extensions: checkedPage(audienceCursor(whom)),
        resolve: ({ audience }, args, context, info) =>
          resolveConnection(context, info, args, {
            list: reopenAudienceList(context.actor, audience, whom),
            ...rowsOfModel(context, info, ['Person', context.db.person]),
          }),
      });
    return {
      goal: t.field({
        type: Goal,
        nullable: true,
        description: 'The goal in its current state. Null if no ID was given.',
        resolve: ({ goalId }, _args, context, info) =>
          goalId === null
            ? null
            : context.db.goal.findUnique({ ...plannedQuery(context, info), where: keyOf(context.actor, goalId) }),
      }),
      wouldReopen: t.exposeBoolean('wouldReopen', {
        description: 'Whether the goal would be reopened. False if the goal is already open or no ID was given.',
      }),
      notified: people('notified', 'The people who would be notified. Empty if the goal would not be reopened.'),
      subscribed: people(
        'subscribed',
        'The people who would be subscribed to the thread, including the caller. Empty if the goal would not be reopened.',
      ),
    };
  },
});

builder.queryField('previewGoalReopen', (t) =>
  t.field({
    type: Preview,
    extensions: everybody,
    nullable: true,
    description:
      'Previews what `reopenGoal` would do with this input, without changing anything; a read-only token can run it. ' +
      'Requires edit access. Errors: BAD_USER_INPUT, NOT_FOUND, FORBIDDEN, GOAL_ARCHIVED.',
    args: { input: t.arg({ type: ReopenGoalInput, required: true, description: 'The input to preview.' }) },
    resolve: (_root, { input }, context) => previewGoalReopen(context, input),
  }),
);
