import { execute, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { newScope } from '../../src/platform/postgres/deadline.js';
import { builder, oldestFirst } from '../../src/schema/builder.js';
import { Goal } from '../../src/schema/goals/goal.js';
import { schema } from '../../src/schema/index.js';
import { varyingFieldsOf } from '../../src/schema/plans.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();

// A relation and a count in several ways, with and without arguments. The schema of the product is built.
builder.prismaObjectFields(Goal, (t) => ({
  openProjects: t.relation('projects', {
    query: (_args, { actor: { companyId } }) => ({ where: { companyId, closedAt: null }, ...oldestFirst }),
  }),
  namedProjects: t.relation('projects', {
    args: { name: t.arg.string({ required: true }) },
    query: ({ name }, { actor: { companyId } }) => ({ where: { companyId, name }, ...oldestFirst }),
  }),
  openProjectsCount: t.relationCount('projects', {
    where: (_args, { actor: { companyId } }) => ({ companyId, closedAt: null }),
  }),
}));

const extended = builder.toSchema();

test('fields that load one relation in several ways have their own rows each', async () => {
  const { company, caller, space } = await world.team();
  const { id } = await world.goal(space);
  for (const [name, closedAt] of [
    ['a', null],
    ['b', new Date(0)],
    ['a', new Date(0)],
    ['c', null],
  ] as const)
    await world.project(space, { name, goalId: id, closedAt });
  const document = parse(`query ($b: String!) { goal(id: "${id}") {
    projects { name goal { openProjects { name } none: namedProjects(name: "none") { name } } }
    openProjects { name } openProjectsCount
    a: namedProjects(name: "a") { name } b: namedProjects(name: $b) { name goal { projects { name } } }
  } }`);
  expect(validate(extended, document)).toEqual([]);
  const answer = () =>
    execute({
      schema: extended,
      document,
      contextValue: {
        db: world.db.within(newScope(30_000)),
        actor: { companyId: company.companyId, personId: caller.id, tokenId: '' },
        now: world.now,
        shared: new Map(),
      },
      variableValues: { b: 'b' },
    });
  const named = (...names: string[]) => names.map((name) => ({ name }));
  const ofGoal = { openProjects: named('a', 'c'), none: [] };
  // A plan is kept for the second time.
  for (const _ of [1, 2])
    expect((await answer()).data?.goal).toEqual({
      projects: named('a', 'b', 'a', 'c').map((project) => ({ ...project, goal: ofGoal })),
      openProjects: named('a', 'c'),
      openProjectsCount: 2,
      a: named('a', 'a'),
      b: [{ name: 'b', goal: { projects: named('a', 'b', 'a', 'c') } }],
    });
});

test('such fields are found when the schema is built; an operation with them is slower, and the product has none', () => {
  const found = ['projects', 'openProjects', 'namedProjects'];
  expect([...varyingFieldsOf(extended)].sort()).toEqual(found.sort());
  expect([...varyingFieldsOf(schema)]).toEqual([]);
});
