import { goalList } from '../../lists/goals.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { byId, nodesQuery, resolveConnection } from '../fields/resolveConnection.js';
import { connectionType, pageArguments } from '../types/Connection.js';
import { Goal } from '../types/Goal.js';
import { OrderDirection } from '../types/OrderDirection.js';

const GoalFilter = builder.inputType('GoalFilter', {
  description: 'Which goals to list: those that fit all that is given. An id of nothing the caller may see fits none.',
  fields: (t) => ({
    spaceId: t.id({ required: false, description: 'Only goals of this space.' }),
    closed: t.boolean({ required: false, description: 'True: only closed goals. False: only open ones. Null: both.' }),
    archived: t.boolean({
      required: false,
      description: 'True: only archived goals. False: only those that are not. Null: both.',
    }),
    championId: t.id({ required: false, description: 'Only goals this person leads.' }),
    text: t.string({
      required: false,
      description: 'Only goals whose name contains this, in upper or lower case; 3 to 200 characters.',
      extensions: { maxLength: 200 },
    }),
  }),
});

const GoalOrderField = builder.enumType('GoalOrderField', {
  description: 'What goals are ordered by; goals that are equal in it, by id.',
  values: {
    NAME: { value: 'name', description: 'Their name, upper and lower case alike.' },
    INSERTED_AT: { value: 'insertedAt', description: 'When they were created.' },
    UPDATED_AT: { value: 'updatedAt', description: 'When they last changed.' },
  } as const,
});

const GoalOrder = builder.inputType('GoalOrder', {
  description: 'The order of a list of goals.',
  fields: (t) => ({
    field: t.field({ type: GoalOrderField, required: true, description: 'What to order by.' }),
    direction: t.field({
      type: OrderDirection,
      defaultValue: 'asc',
      required: true,
      description: 'Ascending or descending.',
    }),
  }),
});

const GoalConnection = connectionType('Goal', Goal, 'A page of goals.');

builder.queryField('goals', (t) =>
  t.field({
    type: GoalConnection,
    description: 'The goals the caller may see. Error: BAD_USER_INPUT.',
    args: {
      ...pageArguments,
      filter: t.arg({ type: GoalFilter, required: false, description: 'Which of them. Null: all.' }),
      orderBy: t.arg({ type: GoalOrder, required: false, description: 'In which order. Null: by name.' }),
    },
    resolve: (_root, { filter, orderBy, ...args }, context, info) =>
      resolveConnection(context, info, args, {
        list: goalList(context.actor, filter ?? {}, orderBy ?? { field: 'name', direction: 'asc' }),
        load: byId(nodesQuery(context, info, 'Goal'), (query, where) =>
          context.db.goal.findMany({
            ...query,
            where: { ...where, ...visibleTo(context.actor) },
          }),
        ),
      }),
  }),
);
