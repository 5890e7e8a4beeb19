import fc from 'fast-check';
import { execute, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { newScope } from '../../src/platform/postgres/deadline.js';
import { builder, oldestFirst } from '../../src/schema/builder.js';
import { Goal } from '../../src/schema/goals/goal.js';
import { varyingFieldsOf } from '../../src/schema/plans.js';
import { schema } from '../../src/schema.js';
import { seedOf } from '../support/seedOf.js';
import { timeLimit } from '../support/timeLimit.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const seed = seedOf('VARYING_FIELDS_SEED');
const numRuns = Number(process.env.VARYING_FIELDS ?? 20);

// Two relations, two counts, one of each with arguments, and a relation of a relation. The schema of the product is built.
builder.prismaObjectFields(Goal, (t) => ({
  openProjects: t.relation('projects', {
    query: (_args, { actor: { companyId } }) => ({ where: { companyId, closedAt: null }, ...oldestFirst }),
  }),
  namedProjects: t.relation('projects', {
    args: { name: t.arg.string({ required: true }) },
    query: ({ name }, { actor: { companyId } }) => ({ where: { companyId, name }, ...oldestFirst }),
  }),
  projectsCount: t.relationCount('projects', { where: (_args, { actor: { companyId } }) => ({ companyId }) }),
  openProjectsCount: t.relationCount('projects', {
    where: (_args, { actor: { companyId } }) => ({ companyId, closedAt: null }),
  }),
  namedProjectsCount: t.relationCount('projects', {
    args: { name: t.arg.string({ required: true }) },
    where: ({ name }, { actor: { companyId } }) => ({ companyId, name }),
  }),
  openProjectNames: t.stringList({
    select: (_args, { actor: { companyId } }) => ({
      projects: { where: { companyId, closedAt: null }, ...oldestFirst, select: { name: true } },
    }),
    resolve: ({ projects }) => projects.map(({ name }) => name),
  }),
}));

const extended = builder.toSchema();

const { company, caller, space } = await world.team();
const goals = await Promise.all(['One', 'Two'].map((name) => world.goal(space, { name })));
const projects: { name: string; goalId: string; closed: boolean }[] = [];
for (const { id: goalId } of goals) {
  for (const [name, closed] of [
    ['a', false],
    ['b', true],
    ['a', true],
    ['c', false],
  ] as const) {
    await world.project(space, { name, goalId, closedAt: closed ? new Date(0) : null });
    projects.push({ name, goalId, closed });
  }
}

/** A field as it is asked for, and what it returns of a goal. */
interface Asked {
  text: string;
  of: (goalId: string) => Json;
}

const kinds = ['projects', 'openProjects', 'namedProjects', 'projectsCount', 'openProjectsCount', 'namedProjectsCount'];

/** Random fields of a goal, each with an alias, in any order, with arguments as values and as variables, and nested. */
function selection(draw: fc.GeneratorValue, depth: number): Asked {
  const fields = Array.from({ length: 1 + draw(fc.nat, { max: 3 }) }, (_, index): Asked => {
    const kind = draw(() => fc.constantFrom(...kinds, 'openProjectNames'));
    const name = draw(() => fc.constantFrom('a', 'b', 'none'));
    const given = draw(() => fc.constantFrom(`"${name}"`, `$${name}`));
    const matching = (goalId: string) =>
      projects.filter(
        (project) =>
          project.goalId === goalId &&
          (!/^open/.test(kind) || !project.closed) &&
          (!/^named/.test(kind) || project.name === name),
      );
    const field = `f${index}: ${kind}${/^named/.test(kind) ? `(name: ${given})` : ''}`;
    if (kind.endsWith('Count')) return { text: field, of: (goalId) => matching(goalId).length };
    if (kind.endsWith('Names')) return { text: field, of: (goalId) => matching(goalId).map((project) => project.name) };
    const inner = depth > 0 ? selection(draw, depth - 1) : undefined;
    return {
      text: `${field} { name ${inner ? `goal { ${inner.text} }` : ''} }`,
      of: (goalId) =>
        matching(goalId).map((project) => ({ name: project.name, ...(inner && { goal: inner.of(goalId) }) })),
    };
  });
  return {
    text: fields.map(({ text }) => text).join(' '),
    of: (goalId) => Object.fromEntries(fields.map(({ of }, index) => [`f${index}`, of(goalId)])),
  };
}

async function answer(document: ReturnType<typeof parse>): Promise<Json> {
  const contextValue = {
    db: world.db.within(newScope(30_000)),
    actor: { companyId: company.companyId, personId: caller.id, tokenId: '' },
    now: world.now,
    shared: new Map(),
  };
  const variableValues = { a: 'a', b: 'b', none: 'none', id: goals[0]?.id };
  return JSON.parse(JSON.stringify(await execute({ schema: extended, document, contextValue, variableValues })));
}

test(
  `fields that load one relation in several ways have their own rows each (VARYING_FIELDS_SEED=${seed})`,
  async () => {
    const property = fc.asyncProperty(fc.gen(), async (draw) => {
      const { text, of } = selection(draw, 2);
      const head = 'query ($a: String!, $b: String!, $none: String!, $id: ID!)';
      const more = 'more: __typename @include(if: $never) a: __type(name: $a) { name } b: __type(name: $b) { name }';
      const document = parse(
        `${head.replace(')', ', $never: Boolean = false)')} { goal(id: $id) { ${text} } goals { nodes { ${text} } } ${more} none: __type(name: $none) { name } }`,
      );
      expect(validate(extended, document)).toEqual([]);
      const expected = { goal: of(goals[0]?.id ?? ''), goals: { nodes: goals.map(({ id }) => of(id)) } };
      // A plan is kept for the second time.
      for (const _ of [1, 2]) expect((await answer(document)).data).toMatchObject(expected);
    });
    await fc.assert(property, { seed, numRuns, ...timeLimit(40_000 + numRuns * 1000) });
  },
  60_000 + numRuns * 1000,
);

test('such fields are found when the schema is built; an operation with them is slower, and the product has none', () => {
  const own = ['projects', 'openProjects', 'projectsCount', 'openProjectsCount', 'openProjectNames'];
  const withArguments = ['namedProjects', 'namedProjectsCount'];
  expect([...new Set(varyingFieldsOf(extended).map(([name]) => name))].sort()).toEqual(
    [...own, ...withArguments].sort(),
  );
  expect(varyingFieldsOf(schema)).toEqual([]);
});
