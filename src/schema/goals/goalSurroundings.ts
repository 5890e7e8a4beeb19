import { callersAccess, canView } from '../../policies/access.js';
import { visibleTo } from '../../policies/visibility.js';
import { privacyOf } from '../../rules/goal.js';
import { builder, enumOf, keyColumns, oldestFirst } from '../builder.js';
import { Person } from '../people/person.js';
import { levelColumns, Space } from '../people/spaces.js';
import { Goal } from './goal.js';
import { Project } from './project.js';

const Privacy = enumOf('Privacy', 'Who a goal or project is open to, derived from its access levels.', {
  public: 'It is marked as public.',
  internal: 'It is open to everyone in the company except guests.',
  confidential: 'It is open to the members of its space.',
  secret: 'It is open only to people with a personal grant.',
});

const types = [
  ['goal', Goal],
  ['project', Project],
] as const;

for (const [name, type] of types) {
  builder.prismaObjectFields(type, (t) => ({
    privacy: t.field({
      type: Privacy,
      description: `Who the ${name} is open to, derived from its access levels.`,
      select: levelColumns,
      resolve: privacyOf,
    }),
    champion: t.relation('champion', {
      type: Person,
      nullable: true,
      description: `The person who leads the ${name}. Null if there is none.`,
    }),
    reviewer: t.relation('reviewer', {
      type: Person,
      nullable: true,
      description: `The person who reviews the ${name}. Null if there is none.`,
    }),
    closedAt: t.expose('closedAt', {
      type: 'DateTime',
      nullable: true,
      description: `When the ${name} was closed. Null if it is open.`,
    }),
    isClosed: t.boolean({
      description: `Whether the ${name} is closed.`,
      select: { closedAt: true },
      resolve: ({ closedAt }) => closedAt !== null,
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: `When the ${name} was created.` }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: `When the ${name} was last changed.` }),
  }));
}

/** What a goal belongs to, and what works towards it. */
builder.prismaObjectFields(Goal, (t) => ({
  parentGoal: t.field({
    type: Goal,
    nullable: true,
    description: 'The parent goal. Null if there is none or the caller cannot see it.',
    select: (_args, { actor }, nested) => ({
      parentGoal: nested({ select: { ...keyColumns, ...callersAccess(actor) } }),
    }),
    resolve: ({ parentGoal }) => (parentGoal && canView(parentGoal) ? parentGoal : null),
  }),
  parentGoalId: t.id({
    nullable: true,
    description: 'The ID of the parent goal. Null if there is none or the caller cannot see it.',
    select: (_args, { actor }) => ({ parentGoal: { select: { id: true, ...callersAccess(actor) } } }),
    resolve: ({ parentGoal }) => (parentGoal && canView(parentGoal) ? parentGoal.id : null),
  }),
  projects: t.relation('projects', {
    type: Project,
    query: (_args, { actor }) => ({ where: visibleTo(actor), ...oldestFirst }),
    description: 'The projects that work towards the goal and that the caller can see, oldest first.',
  }),
  space: t.field({
    type: Space,
    nullable: true,
    description: 'The space of the goal. Null if the caller cannot see the space.',
    select: (_args, { actor }, nested) => ({ space: nested({ select: { ...keyColumns, ...callersAccess(actor) } }) }),
    resolve: ({ space }) => (canView(space) ? space : null),
  }),
}));

/** What a project belongs to. */
builder.prismaObjectFields(Project, (t) => ({
  goal: t.field({
    type: Goal,
    nullable: true,
    description: 'The goal that the project works towards. Null if there is none or the caller cannot see it.',
    select: (_args, { actor }, nested) => ({ goal: nested({ select: { ...keyColumns, ...callersAccess(actor) } }) }),
    resolve: ({ goal }) => (goal && canView(goal) ? goal : null),
  }),
  space: t.field({
    type: Space,
    nullable: true,
    description: 'The space of the project. Null if the caller cannot see the space.',
    select: (_args, { actor }, nested) => ({ space: nested({ select: { ...keyColumns, ...callersAccess(actor) } }) }),
    resolve: ({ space }) => (canView(space) ? space : null),
  }),
}));
