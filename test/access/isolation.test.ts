import { describe, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.js';
import type { Json } from '../support/world.js';
import { chunks, inParallel, lookUp, questionsAbout } from './isolation/asking.js';
import type { Caller } from './isolation/callers.js';
import {
  complete,
  completenessOfArguments,
  completenessOfFields,
  completenessOfMutations,
  completenessOfPaths,
  ruleOf,
} from './isolation/completeness.js';
import { expected, likeFor } from './isolation/matrix.js';
import { filters, lookUps } from './isolation/policy.js';
import type { Target } from './isolation/records.js';
import { openScene, testLog } from './isolation/scene.js';

const {
  world,
  ours,
  theirs,
  ourTexts,
  theirTexts,
  ladder,
  links,
  callers,
  people,
  matrix,
  ourTargets,
  theirTargets,
  targets,
  isFor,
} = await openScene('asking');
const nothingSuch: Target = { kind: 'goals', id: 'nobody-knows', state: 'unknown', audience: 'nobody' };

describe('the policy has a row for', () => {
  test('every field that reaches another record', () => {
    expect(completenessOfFields(schema)).toEqual(complete);
  });

  test('every mutation', () => {
    expect(completenessOfMutations(schema)).toEqual(complete);
  });

  test('every argument that names a record', () => {
    expect(completenessOfArguments(schema)).toEqual(complete);
  });

  test('every path', () => {
    expect(completenessOfPaths(world.app.routes.map(({ path }) => path))).toEqual(complete);
  });

  test('and every text of both companies has a word by which it would be found', () => {
    expect([ourTexts.silent, theirTexts.silent], 'give each a value in test/support/filled.ts').toEqual([[], []]);
  });
});

describe('a look-up', () => {
  test.each(callers)('by $name succeeds, or fails as the level on the record and its state say', async (caller) => {
    const wrong: Json[] = [];
    const unknown = Object.entries(lookUps).map(([field, need]) => ({ field, need, target: nothingSuch }));
    const answers = await lookUp(matrix, caller, unknown);
    const twins = Object.fromEntries(
      unknown.map(({ field }, index) => [field, likeFor(answers[index].failure, nothingSuch.id)]),
    );
    await inParallel(chunks(questionsAbout(targets), 60), async (asked) => {
      const outcomes = await lookUp(matrix, caller, asked);
      for (const [index, { field, need, target }] of asked.entries()) {
        const { code, failure } = outcomes[index];
        const wanted = expected(ladder, caller, need, target);
        const like = wanted === 'NOT_FOUND' && !isFor(caller, target.id) ? likeFor(failure, target.id) : twins[field];
        if (code !== wanted || like !== twins[field]) wrong.push({ field, ...target, wanted, failure, like });
      }
      matrix.cells += asked.length;
    });
    expect(wrong).toEqual([]);
  });
});

describe('a filter', () => {
  const subjects = [...ourTargets, ...theirTargets]
    .filter(({ kind }) => ['goals', 'spaces'].includes(kind))
    .map(({ id }) => id);
  const projects = [...ours.projects, ...theirs.projects].map(({ id }) => id);
  const champions = [ours.people.owner.id, theirs.people.owner.id, ours.people.champion.id];

  test.each(people)(
    'by $name finds what they see of a record that they see, and nothing of another',
    async (caller) => {
      const wrong: Json[] = [];
      const person = caller.person ?? '';
      const company = (id: string) => (ourTexts.ids.has(id) ? 'ours' : 'theirs');
      for (const [filter, { list }] of Object.entries(filters)) {
        const [, name = ''] = filter.split('.');
        for (const ids of chunks([...subjects, ...projects, ...champions, 'nobody-knows'], 60)) {
          const parts = ids.map(
            (id, index) => `a${index}: ${list}(first: 100, filter: { ${name}: "${id}" }) { nodes { id } totalCount }`,
          );
          const { body } = await matrix.graphql(caller, `{ ${parts.join(' ')} }`, {}, ids);
          matrix.cells += ids.length;
          for (const [index, id] of ids.entries()) {
            const isKnown = ladder.has(id) ? ladder.sees(person, id) : company(id) === caller.company;
            const found = links
              .of(filter, id)
              .map(({ target }) => target)
              .filter((target) => isKnown && ladder.sees(person, target));
            const { nodes, totalCount } = body.data[`a${index}`];
            const shown = nodes.map((node: Json) => node.id);
            if (totalCount !== found.length || String(shown.sort()) !== String(found.sort()))
              wrong.push({ filter, id, found, shown });
          }
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  test.each(people)('by $name of a text of the other company finds nothing', async (caller) => {
    const word = caller.company === 'ours' ? theirTexts.word : ourTexts.word;
    const { body } = await matrix.graphql(
      caller,
      `{ goals(filter: { text: "${word}" }) { nodes { id } totalCount }
         resourceHubNodes(text: "${word}") { nodes { id } totalCount } }`,
      {},
      [word],
    );
    expect(body.data.goals).toEqual({ nodes: [], totalCount: 0 });
    expect(body.data.resourceHubNodes).toEqual({ nodes: [], totalCount: 0 });
  });
});

describe('a path', () => {
  /** What a path says to a request with a query for GraphQL, or else without a body. */
  const statusWithoutInput = {
    public: () => 200,
    GraphQL: ({ person }: Caller) => (person ? 200 : 401),
    tools: ({ person }: Caller) => (person ? 415 : 401),
    'a mutation': ({ person, canWrite }: Caller) => (!person ? 401 : canWrite ? 415 : 403),
  };
  const routes = world.app.routes.flatMap(({ path, methods, accepts }) =>
    methods.map((method) => ({ path, method, accepts })),
  );

  // What a path says depends on the token only, not on what its person may see.
  const kinds = ['owner', 'full, with a read-only token', 'the owner of another company'];
  const different = callers.filter(({ name, person }) => !person || kinds.includes(name));

  test.each(different)('by $name is refused, or says what it says to everyone', async (caller) => {
    const wrong: string[] = [];
    await inParallel(routes, async ({ path, method, accepts }) => {
      const rule = accepts ? 'public' : ruleOf(path);
      const query = '{ __typename }';
      const isGet = method === 'GET';
      const { status } = await matrix.ask(
        caller,
        method,
        rule === 'GraphQL' && isGet ? `${path}?query=${query}` : path,
        {
          headers: { accept: accepts ?? '*/*' },
          ...(rule === 'GraphQL' && !isGet && { body: { query } }),
        },
      );
      matrix.cells += 1;
      const wanted = statusWithoutInput[rule ?? 'public'](caller);
      if (status !== wanted) wrong.push(`${method} ${path}: ${status}, not ${wanted}`);
      return [];
    });
    expect(wrong).toEqual([]);
  });
});

testLog(matrix);
