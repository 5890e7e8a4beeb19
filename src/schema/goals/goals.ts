import type { PageArguments } from '../../lists/engine.js';
import {
  type GoalFilter as Filter,
  goalCursor,
  goalList,
  goalsOfSpaces,
  type GoalOrder as Order,
  spaceGoalCursor,
  subgoalCursor,
  subgoalsOf,
} from '../../lists/goals.js';
import { visibleTo } from '../../policies/access.js';
import { builder, everyName, lookUpField, namedText } from '../builder.js';
import { checkedPage, checkedSearch, connectionType, pageArguments, pagesOf } from '../connections.js';
import { Space } from '../people/spaces.js';
import { OrderDirection } from '../scalars.js';
import { Goal } from './goal.js';

lookUpField(
  'goal',
  Goal,
  { what: 'goal', description: 'Looks up a goal that the caller can see. Error: NOT_FOUND.' },
  ({ db, actor }, id, query) => db.goal.findFirst({ ...query, where: { id, ...visibleTo(actor) } }),
);

const GoalFilter = builder.inputType('GoalFilter', {
  description:
    'Conditions for a list of goals; a goal must meet all of them. An ID that is unknown to the caller matches no goal.',
  fields: (t) => ({
    spaceId: t.id({ required: false, description: 'Returns only the goals of this space.' }),
    isClosed: t.boolean({
      required: false,
      description: 'If true, returns only closed goals; if false, only open goals. If null, returns both.',
    }),
    isArchived: t.boolean({
      required: false,
      description:
        'If true, returns only archived goals; if false, only goals that are not archived. If null, returns both.',
    }),
    championId: t.id({ required: false, description: 'Returns only the goals whose champion is this person.' }),
    text: t.string({
      required: false,
      description:
        'Returns only the goals whose name contains this text: words in any order, ignoring case and accents.',
      extensions: { ...namedText, ...everyName },
    }),
  }),
});

const GoalOrderField = builder.enumType('GoalOrderField', {
  description: 'The fields that goals can be sorted by. Goals with equal values are sorted by ID.',
  values: {
    NAME: { value: 'name', description: 'Sorts by name as the Unicode collation algorithm does, ignoring case.' },
    INSERTED_AT: { value: 'insertedAt', description: 'Sorts by the time of creation.' },
    UPDATED_AT: { value: 'updatedAt', description: 'Sorts by the time of the last change.' },
  } as const,
});

const GoalOrder = builder.inputType('GoalOrder', {
  description: 'How a list of goals is sorted.',
  fields: (t) => ({
    field: t.field({ type: GoalOrderField, required: true, description: 'The field to sort by.' }),
    direction: t.field({
      type: OrderDirection,
      defaultValue: 'asc',
      required: true,
      description: 'The direction to sort in.',
    }),
  }),
});

const GoalConnection = connectionType('Goal', Goal, 'A page of goals.');

const pageOfGoals = pagesOf('Goal', (db) => db.goal, visibleTo);

const byName = { field: 'name', direction: 'asc' } as const;

type GoalArguments = PageArguments & { filter?: Filter | null; orderBy?: Order | null };

builder.queryField('goals', (t) =>
  t.field({
    type: GoalConnection,
    description: 'Lists the goals that the caller can see. Error: BAD_USER_INPUT.',
    extensions: {
      check: ({ orderBy, ...args }: GoalArguments) => checkedSearch(goalCursor((orderBy ?? byName).field)).check(args),
    },
    args: {
      ...pageArguments,
      filter: t.arg({
        type: GoalFilter,
        required: false,
        description: 'The conditions that the goals must meet. If it is null, returns all goals.',
      }),
      orderBy: t.arg({
        type: GoalOrder,
        required: false,
        defaultValue: byName,
        description: 'How to sort the goals. Null is like the default.',
      }),
    },
    resolve: (_root, { filter, orderBy, ...args }, context, info) =>
      pageOfGoals(context, info, args, goalList(context.actor, filter ?? {}, orderBy ?? byName)),
  }),
);

builder.prismaObjectField(Space, 'goals', (t) =>
  t.field({
    type: GoalConnection,
    description:
      'The goals of the space that the caller can see, also closed and archived ones, sorted by name. `goals` filters and sorts them.',
    args: pageArguments,
    extensions: checkedPage(spaceGoalCursor),
    select: { id: true },
    resolve: ({ id }, args, context, info) => pageOfGoals(context, info, args, goalsOfSpaces(context.actor), id),
  }),
);

builder.prismaObjectField(Goal, 'subgoals', (t) =>
  t.field({
    type: GoalConnection,
    description:
      'The goals whose parent the goal is and that the caller can see, also closed and archived ones, sorted by name.',
    args: pageArguments,
    extensions: checkedPage(subgoalCursor),
    select: { id: true },
    resolve: ({ id }, args, context, info) => pageOfGoals(context, info, args, subgoalsOf(context.actor), id),
  }),
);
