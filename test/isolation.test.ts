import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../src/schema/index.js';
import { changesOf, nothing } from './support/changes.js';
import { chunks, crawlQueries, inParallel, lookUp, questionsAbout } from './support/isolation/asking.js';
import { type Caller, callersOf } from './support/isolation/callers.js';
import { markTexts } from './support/isolation/canaries.js';
import { furnish } from './support/isolation/company.js';
import {
  complete,
  completenessOfArguments,
  completenessOfFields,
  completenessOfMutations,
  completenessOfPaths,
  ruleOf,
} from './support/isolation/completeness.js';
import { type Facts, readFacts } from './support/isolation/crawl.js';
import { Ladder } from './support/isolation/ladder.js';
import { expected, likeFor, Matrix, statusOf } from './support/isolation/matrix.js';
import { fields, filters, lookUps, texts } from './support/isolation/policy.js';
import { type Target, targetsOf } from './support/isolation/records.js';
import { Links, mayKnow, wrongFacts, wrongTexts } from './support/isolation/shown.js';
import { currentVersion, putBack, type Write, write, writesOf } from './support/isolation/writing.js';
import { type Surface, surfaces } from './support/surfaces.js';
import { createWorld, type Json, mentioning } from './support/world.js';

const queryLimits = { complexity: 1e9, depth: 100, aliases: 1e4, tokens: 1e6, mutations: 10 };
const world = await createWorld({ queryLimits });
const theirs = await furnish(world);
const theirTexts = await markTexts(world, 'Bussard', []);
const ours = await furnish(world);
const ourTexts = await markTexts(world, 'Amsel', [theirTexts]);
const ladder = await Ladder.read(world);
const links = await Links.read(world, { ...fields, ...filters, ...texts });
const callers = await callersOf(world, ours, theirs);
const people = callers.filter(({ person }) => person);
const others = people.filter(({ name }) => name !== 'owner');
const [owner = people[0] as Caller] = people.filter(({ name }) => name === 'owner');
const matrix = new Matrix(world, { ours: ourTexts, theirs: theirTexts });
const [ourTargets, theirTargets] = [targetsOf(ours), targetsOf(theirs)];
const targets = [...ourTargets, ...theirTargets];
const nothingSuch: Target = { kind: 'goals', id: 'nobody-knows', state: 'unknown', audience: 'nobody' };
const started = performance.now();

const isFor = ({ person }: Caller, id: string) =>
  ladder.levelOf(person ?? '', id) >= 10 && ladder.exists(person ?? '', id);

afterAll(() => {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const { cells, requests } = matrix;
  console.log(`isolation: ${cells} cells of ${callers.length} callers in ${requests} requests, ${seconds} s`);
});

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
    expect([ourTexts.silent, theirTexts.silent]).toEqual([[], []]);
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

describe('what is shown', () => {
  /** Asks for everything that the caller can reach, and fails if something is not for them. */
  async function crawl(caller: Caller): Promise<Facts> {
    const facts: Facts = new Map();
    const wrong: string[] = [];
    const open = questionsAbout(targets).filter(({ need, target }) => expected(ladder, caller, need, target) === 'OK');
    await inParallel(crawlQueries(schema, open), async (query) => {
      const { status, body } = await matrix.graphql(caller, `{ ${query} }`);
      expect([status, body.errors]).toEqual([200, undefined]);
      readFacts(schema, body.data, facts, (record) => {
        if (!mayKnow(ladder, caller, record.id)) wrong.push(`a record: ${JSON.stringify(record).slice(0, 200)}`);
        wrong.push(...wrongTexts(ladder, links, caller, record));
      });
    });
    expect(wrong).toEqual([]);
    matrix.cells += facts.size;
    return facts;
  }

  let asOwner: Facts;
  beforeAll(async () => {
    asOwner = await crawl(owner);
  });

  test('to the owner is everything there is: each field reaches something', () => {
    const facts = asOwner;
    expect(wrongFacts(ladder, links, owner, facts, facts)).toEqual([]);
    const reached = new Set([...facts].filter(([, ids]) => ids.size > 0).map(([key]) => key.split(' ')[1]));
    const inAnswersToMutations = /Payload\./;
    expect(Object.keys(fields).filter((field) => !reached.has(field) && !inAnswersToMutations.test(field))).toEqual([]);
  });

  test.each(others)('to $name is what the policy says, field by field', async (caller) => {
    expect(wrongFacts(ladder, links, caller, await crawl(caller), asOwner)).toEqual([]);
  });
});

describe('a mutation', () => {
  // One hub of each audience is enough, each with another kind of parent: look-ups try them all.
  const hubs = ['private', 'company', 'members'].map(
    (name, kind) => ours.hubs.filter((hub) => hub.audience === name)[kind],
  );
  const inHubs = new Set(
    hubs.flatMap(({ files, documents }) => Object.values<Json>({ ...files, ...documents }).map(({ id }) => id)),
  );
  const isTried = ({ id, kind, state }: Target) => (kind === 'goals' && state !== 'filled') || inHubs.has(id);
  const writes = writesOf(ladder, callers, ourTargets.filter(isTried));
  const [allowed, refused] = [
    writes.filter(({ wanted }) => wanted === 'OK'),
    writes.filter(({ wanted }) => wanted !== 'OK'),
  ];
  const acrossCompanies = writesOf(
    ladder,
    callers.filter(({ name }) => ['owner', 'full', 'none'].includes(name)),
    theirTargets,
  );

  async function failuresOf(attempts: Write[]): Promise<string[]> {
    const answers = await inParallel(attempts, async (one) => {
      const { status, code } = await write(schema, matrix, one);
      const { operation, surface, caller, target, wanted } = one;
      if (code === wanted && status === statusOf(wanted)) return [];
      return [
        `${operation}, ${surface}, ${caller.name}, ${target.audience} ${target.state}: ${status} ${code}, not ${wanted}`,
      ];
    });
    return answers.flat();
  }

  test(`that is refused says why and changes nothing: ${refused.length} cells`, async () => {
    const [changes, failures] = await changesOf(world, () => failuresOf(refused));
    expect([failures, changes]).toEqual([[], nothing]);
  }, 60_000);

  test(`of another company's records finds none: ${acrossCompanies.length} cells`, async () => {
    const [changes, failures] = await changesOf(world, () => failuresOf(acrossCompanies));
    expect([failures, changes]).toEqual([[], nothing]);
    expect(new Set(acrossCompanies.map(({ wanted }) => wanted))).toEqual(new Set(['NOT_FOUND']));
  }, 60_000);

  test('of what is not for the caller says the same as of what does not exist', async () => {
    const unseen = [...refused, ...acrossCompanies].filter(
      ({ wanted, caller, target }) => wanted === 'NOT_FOUND' && !isFor(caller, target.id),
    );
    const twins = new Map<string, string>();
    const wrong = await inParallel(
      unseen.filter((_, index) => index % 5 === 0),
      async (one) => {
        const { target, surface, operation, need } = one;
        const key = `${surface} ${operation}`;
        if (!twins.has(key)) {
          const { failure } = await write(schema, matrix, one, need.ask('nobody-knows'));
          twins.set(key, likeFor(failure, 'nobody-knows'));
        }
        const { failure } = await write(schema, matrix, one);
        return likeFor(failure, target.id) === twins.get(key) ? [] : [[key, failure, twins.get(key)]];
      },
    );
    expect(wrong.flat()).toEqual([]);
  });

  test(`that is allowed succeeds, and shows only what the caller may see: ${allowed.length} cells`, async () => {
    const wrong: string[] = [];
    const byTarget = [...new Set(allowed.map(({ target }) => target.id))].map((id) =>
      allowed.filter(({ target }) => target.id === id),
    );
    await inParallel(byTarget, async (turns) => {
      for (const one of turns) {
        const { caller, target, need } = one;
        const now = { expectedCurrentVersion: await currentVersion(world, target) };
        const given = need.ask(target.id);
        const { status, code, data } = await write(schema, matrix, one, {
          ...given,
          ...('expectedCurrentVersion' in given && now),
        });
        if (status !== 200)
          wrong.push(`${one.operation}, ${one.surface}, ${caller.name}, ${target.state}: ${status} ${code}`);
        readFacts(schema, data?.[one.operation] ?? {}, new Map(), (record) => {
          if (!mayKnow(ladder, caller, record.id))
            wrong.push(`${one.operation}, ${caller.name}: ${JSON.stringify(record).slice(0, 200)}`);
        });
        await putBack(world, target);
      }
    });
    expect(wrong).toEqual([]);
  }, 60_000);

  test('reaches no person of another company', async () => {
    const goal = ours.goals.find(({ state, audience }) => state === 'closed' && audience === 'company');
    const stranger = theirs.people.owner.id;
    const attempt = (surface: Surface, id: string) => {
      const one = { operation: 'reopenGoal', surface, caller: owner, target: { id: goal.id } } as Write;
      return write(schema, matrix, one, { id: goal.id, subscriberIds: [id] });
    };
    for (const surface of surfaces) {
      const [answer, twin] = [await attempt(surface, stranger), await attempt(surface, 'nobody-knows')];
      expect(answer).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
      expect(likeFor(answer.failure, stranger)).toBe(likeFor(twin.failure, 'nobody-knows'));
    }
    const mentioned = { id: goal.id, message: mentioning(stranger), sendNotificationsToEveryone: true };
    const [{ added }, answer] = await changesOf(world, () =>
      write(schema, matrix, { operation: 'reopenGoal', surface: 'REST', caller: owner } as Write, mentioned),
    );
    expect(answer).toMatchObject({ status: 200 });
    const { comment_threads: threads, ...rest } = added;
    expect(JSON.stringify(rest)).not.toContain(stranger);
  });
});

describe('a filter', () => {
  const subjects = [...ourTargets, ...theirTargets]
    .filter(({ kind }) => ['goals', 'spaces'].includes(kind))
    .map(({ id }) => id);
  const projects = [...ours.projects, ...theirs.projects].map(({ id }) => id);
  const champions = [ours.people.owner.id, theirs.people.owner.id, ours.people.view.id];

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
      `{ goals(filter: { text: "${word}" }) { nodes { id } totalCount } }`,
      {},
      [word],
    );
    expect(body.data.goals).toEqual({ nodes: [], totalCount: 0 });
  });
});

describe('a path', () => {
  /** What a path says to a request with a query for GraphQL, or else without a body. */
  const statusWithoutInput = {
    public: () => 200,
    GraphQL: ({ person }: Caller) => (person ? 200 : 401),
    'a mutation': ({ person, canWrite }: Caller) => (!person ? 401 : canWrite ? 415 : 403),
  };
  const routes = world.app.routes.flatMap(({ path, methods, accepts }) =>
    methods.map((method) => ({ path, method, accepts })),
  );

  test.each(callers)('by $name is refused, or says what it says to everyone', async (caller) => {
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

test('the log has no text of a record, and no id that the caller neither has nor sent', () => {
  expect(matrix.leaksInLog()).toEqual([]);
});
