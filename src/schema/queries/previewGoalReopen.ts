import { reopenAudienceList } from '../../lists/reopenAudience.js';
import { type GoalReopenPreview, previewGoalReopen } from '../../operations/previewGoalReopen.js';
import { builder } from '../builder.js';
import { byId, nodesQuery, resolveConnection } from '../fields/resolveConnection.js';
import { ReopenGoalInput } from '../mutations/reopenGoal.js';
import { connectionType, pageArguments } from '../types/Connection.js';
import { Goal } from '../types/Goal.js';
import { Person } from '../types/Person.js';

const PersonConnection = connectionType('Person', Person, 'A page of people, by name.');

const Preview = builder.objectRef<GoalReopenPreview>('GoalReopenPreview').implement({
  description: 'What `reopenGoal` would do with the same input, as things stand.',
  fields: (t) => {
    const people = (whom: 'notified' | 'subscribed', description: string) =>
      t.field({
        type: PersonConnection,
        description,
        args: pageArguments,
        resolve: ({ audience }, args, context, info) =>
          resolveConnection(context, info, args, {
            list: reopenAudienceList(context.actor, audience, whom),
            load: byId(nodesQuery(context, info, 'Person'), (query, where) =>
              context.db.person.findMany({ ...query, where: { ...where, companyId: context.actor.companyId } }),
            ),
          }),
      });
    return {
      goal: t.prismaField({
        type: Goal,
        nullable: true,
        description: 'The goal as it is; null when no id was given.',
        resolve: (query, { goalId }, _args, { db }) =>
          goalId === null ? null : db.goal.findUnique({ ...query, where: { id: goalId } }),
      }),
      wouldReopen: t.exposeBoolean('wouldReopen', {
        description: 'Whether it would be reopened; false when it is open already, or no id was given.',
      }),
      notified: people('notified', 'Who would get a notification; nobody when it would not be reopened.'),
      subscribed: people(
        'subscribed',
        'Who would be subscribed to the thread, the caller among them; nobody when it would not be reopened.',
      ),
    };
  },
});

builder.queryField('previewGoalReopen', (t) =>
  t.field({
    type: Preview,
    nullable: true,
    description:
      'Tells what `reopenGoal` would do with this input, and does nothing: a read-only token will do. ' +
      'Needs edit access. Errors: BAD_USER_INPUT, NOT_FOUND, FORBIDDEN, GOAL_ARCHIVED.',
    args: { input: t.arg({ type: ReopenGoalInput, required: true, description: 'What would be sent.' }) },
    resolve: (_root, { input }, context) => previewGoalReopen(context, input),
  }),
);
