import { describe, expect, test } from 'vitest';
import { schema } from '../../../src/schema.js';
import type { Json } from '../../support/world.js';
import { chunks, groupsOf, inParallel, lookUp, questionsAbout } from './asking.js';
import type { Caller } from './callers.js';
import { ruleOf } from './completeness.js';
import { likeFor } from './matrix.js';
import { filters, lookUps, type Need } from './policy.js';
import type { Target } from './records.js';
import type { Scene } from './scene.js';

const nothingSuch: Target = { kind: 'goals', id: 'nobody-knows', state: 'unknown', audience: 'nobody' };

/** Each look-up of a record, by each caller. */
export function tryLookUps({ callers, matrix, targets, isFor, cellsOf, hasTime }: Scene): void {
  const cells = cellsOf(
    callers,
    questionsAbout(targets).map((question) => ({ ...question, way: question.field })),
  );

  describe('a look-up', () => {
    test.each(callers)('by $name succeeds, or fails as the level on the record and its state say', async (caller) => {
      const wrong: Json[] = [];
      const unknown = Object.entries(lookUps).map(([field, need]) => ({ field, need, target: nothingSuch }));
      const answers = await lookUp(schema, matrix, caller, unknown);
      const twins = Object.fromEntries(
        unknown.map(({ field }, index) => [field, likeFor(answers[index].failure, nothingSuch.id)]),
      );
      const own = cells.filter((cell) => cell.caller === caller);
      const ask = async (asked: typeof own) => {
        const outcomes = await lookUp(schema, matrix, caller, asked);
        for (const [index, { field, target, wanted }] of asked.entries()) {
          const { code, failure } = outcomes[index];
          const like = wanted === 'NOT_FOUND' && !isFor(caller, target.id) ? likeFor(failure, target.id) : twins[field];
          if (code !== wanted || like !== twins[field]) wrong.push({ field, ...target, wanted, failure, like });
        }
        matrix.cells += asked.length;
      };
      await inParallel(groupsOf(own, 30), ask, hasTime);
      expect(wrong).toEqual([]);
    });
  });
}

/** Each condition of a list that names a record, by each person. */
export function tryFilters(scene: Scene): void {
  const { ours, theirs, ourTargets, theirTargets, ladder, links, people, matrix, cellsOf, hasTime } = scene;
  const named = (state: string, ids: string[]): Target[] => ids.map((id) => ({ ...nothingSuch, id, state }));
  const subjects = [
    ...[...ourTargets, ...theirTargets].filter(({ kind }) => ['goals', 'spaces'].includes(kind)),
    ...named(
      'project',
      [...ours.projects, ...theirs.projects].map(({ id }) => id),
    ),
    ...named('person', [ours.people.owner.id, theirs.people.owner.id, ours.people.champion.id]),
    nothingSuch,
  ];
  const need: Need = { kind: 'goals', level: 10, ask: () => ({}) };
  const cells = cellsOf(
    people,
    Object.keys(filters).flatMap((way) =>
      subjects.map((target) => ({ way, need, target: { ...target, state: `${target.kind} ${target.state}` } })),
    ),
  );

  describe('a filter', () => {
    test.each(people)(
      'by $name finds what they see of a record that they see, and nothing of another',
      async (caller) => {
        const wrong: Json[] = [];
        const person = caller.person ?? '';
        const groups = Object.entries(filters).flatMap(([filter, { list }]) => {
          const own = cells.filter((cell) => cell.caller === caller && cell.way === filter);
          return chunks(own, 30).map((asked) => ({ filter, list, ids: asked.map(({ target }) => target.id) }));
        });
        const ask = async ({ filter, list, ids }: (typeof groups)[number]) => {
          const [, name = ''] = filter.split('.');
          const parts = ids.map(
            (_, n) => `a${n}: ${list}(first: 100, filter: { ${name}: $id${n} }) { nodes { id } totalCount }`,
          );
          const query = `query (${ids.map((_, n) => `$id${n}: ID!`)}) { ${parts.join(' ')} }`;
          const { body } = await matrix.graphql(caller, query, Object.fromEntries(ids.map((id, n) => [`id${n}`, id])));
          matrix.cells += ids.length;
          for (const [index, id] of ids.entries()) {
            const isKnown = ladder.has(id)
              ? ladder.sees(person, id)
              : ladder.companyOf(id) === ladder.companyOf(person);
            const found = links
              .of(filter, id)
              .map(({ target }) => target)
              .filter((target) => isKnown && ladder.sees(person, target));
            const { nodes, totalCount } = body.data[`a${index}`];
            const shown = nodes.map((node: Json) => node.id);
            if (totalCount !== found.length || String(shown.sort()) !== String(found.sort()))
              wrong.push({ filter, id, found, shown });
          }
        };
        await inParallel(groups, ask, hasTime);
        expect(wrong).toEqual([]);
      },
    );

    test.each(people)('by $name of a text of the other company finds nothing', async (caller) => {
      const word = caller.company === 'ours' ? scene.theirTexts.word : scene.ourTexts.word;
      const { body } = await matrix.graphql(
        caller,
        `query ($word: String!) { goals(filter: { text: $word }) { nodes { id } totalCount }
           resourceHubNodes(text: $word) { nodes { id } totalCount } }`,
        { word },
      );
      expect(body.data.goals).toEqual({ nodes: [], totalCount: 0 });
      expect(body.data.resourceHubNodes).toEqual({ nodes: [], totalCount: 0 });
    });
  });
}

/** Each path, by callers whose tokens differ. */
export function tryPaths({ world, callers, matrix, isWhole }: Scene): void {
  describe('a path', () => {
    /** What a path says to a request with a query for GraphQL, or else without a body. */
    const statusWithoutInput = {
      public: () => 200,
      GraphQL: ({ person }: Caller) => (person ? 200 : 401),
      tools: ({ person }: Caller) => (person ? 415 : 401),
      'a mutation': ({ person, canWrite }: Caller) => (!person ? 401 : canWrite ? 415 : 403),
    };
    const routes = world.app.routes.flatMap(({ path, methods, accepts }) =>
      methods.map(
        (method) => ({ path, method, accepts, rule: accepts ? 'public' : (ruleOf(path) ?? 'public') }) as const,
      ),
    );

    // What a path says depends on the token only, not on what its person may see.
    const kinds = ['owner', 'full, with a read-only token', 'the owner of another company'];
    const different = callers.filter(({ name, person }) => !person || kinds.includes(name));

    /** Each path by one caller, in turn, and by each caller one path of each kind. */
    const isFirst = ({ rule, method, accepts }: (typeof routes)[number], n: number) =>
      n === routes.findIndex((one) => one.rule === rule && one.method === method && one.accepts === accepts);
    const routesFor = (caller: Caller) =>
      routes.filter((route, n) => isWhole || isFirst(route, n) || different[n % different.length] === caller);

    test.each(different)('by $name is refused, or says what it says to everyone', async (caller) => {
      const wrong: string[] = [];
      await inParallel(routesFor(caller), async ({ path, method, accepts, rule }) => {
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
        const wanted = statusWithoutInput[rule](caller);
        if (status !== wanted) wrong.push(`${method} ${path}: ${status}, not ${wanted}`);
        return [];
      });
      expect(wrong).toEqual([]);
    });
  });
}
