import type { GraphQLSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.js';
import { changesOf, nothing } from '../support/changes.js';
import { mutation, type Surface, snakeKeys, surfaces } from '../support/surfaces.js';
import { type Json, mentioning, restPaths, type World } from '../support/world.js';
import { inParallel } from './isolation/asking.js';
import type { Caller } from './isolation/callers.js';
import { everything, readFacts } from './isolation/crawl.js';
import type { Ladder } from './isolation/ladder.js';
import { expected, likeFor, type Matrix, statusOf } from './isolation/matrix.js';
import { mutations, type Need } from './isolation/policy.js';
import type { Target } from './isolation/records.js';
import { openScene, testLog } from './isolation/scene.js';
import { mayKnow } from './isolation/shown.js';

/** One mutation by one caller of one record, on one surface. */
interface Write {
  operation: keyof typeof restPaths;
  surface: Surface;
  caller: Caller;
  target: Target;
  need: Need;
  /** OK, or the code of the failure. */
  wanted: string;
}

const writesOf = (ladder: Ladder, callers: Caller[], targets: Target[]): Write[] =>
  Object.entries(mutations).flatMap(([name, need]) => {
    const operation = name as keyof typeof restPaths;
    const concerned = targets.filter(({ kind }) => kind === need.kind);
    return concerned.flatMap((target) =>
      callers.flatMap((caller) => {
        const readOnly = caller.person && !caller.canWrite ? 'READ_ONLY_TOKEN' : undefined;
        const wanted = readOnly ?? expected(ladder, caller, need, target);
        return (['REST', 'GraphQL'] as const).map((surface) => ({ operation, surface, caller, target, need, wanted }));
      }),
    );
  });

/** Runs a mutation, for everything that its payload shows. */
async function write(schema: GraphQLSchema, matrix: Matrix, one: Write, given = one.need.ask(one.target.id)) {
  const { operation, surface, caller } = one;
  matrix.cells += 1;
  if (surface === 'REST') {
    const sent = Object.values(given).map(String);
    const { status, body } = await matrix.ask(caller, 'POST', restPaths[operation], { body: snakeKeys(given), sent });
    return { status, code: status === 200 ? 'OK' : body.code, failure: body, data: null };
  }
  const payload = schema.getType(`${operation[0]?.toUpperCase()}${operation.slice(1)}Payload`);
  if (!payload || !('getInterfaces' in payload)) throw new Error(`${operation} has no payload`);
  const query = mutation(operation, everything(schema, payload, 2));
  const { status, body } = await matrix.graphql(caller, query, { input: given });
  const { path, locations, ...failure } = body.errors?.[0] ?? {};
  return { status, code: failure.extensions?.code ?? 'OK', failure, data: body.data };
}

/** Puts the records that mutations change back as they were, for the next caller. */
async function putBack(world: World, { kind, id, state }: Target): Promise<void> {
  if (kind === 'goals' && state !== 'open' && state !== 'reopened') {
    await world.sql('UPDATE goals SET closed_at = now(), success = true WHERE id = $1', [id]);
  }
  if (kind === 'files') {
    await world.sql('UPDATE resource_hub_files SET deleted_at = $2, deleted_by_id = NULL WHERE id = $1', [
      id,
      state === 'deleted' ? new Date() : null,
    ]);
  }
}

/** The number that a document's current version has by now. */
async function currentVersion(world: World, { id }: Target): Promise<Json> {
  const [row] = await world.sql('SELECT current_version AS number FROM resource_hub_documents WHERE id = $1', [id]);
  return row?.number ?? 1;
}

const { world, ours, theirs, ladder, callers, owner, matrix, ourTargets, theirTargets, isFor } =
  await openScene('mutations');

describe('a mutation', () => {
  // One hub of each audience is enough, each with another kind of parent: look-ups try them all.
  const hubs = ['private', 'company', 'members'].map(
    (name, kind) => ours.hubs.filter((hub) => hub.audience === name)[kind],
  );
  const inHubs = new Set(
    [...hubs, ours.removed.hub].flatMap(({ files, documents }) =>
      Object.values<Json>({ ...files, ...documents }).map(({ id }) => id),
    ),
  );
  const isTried = ({ id, kind, state }: Target) =>
    (kind === 'goals' && state !== 'filled') || inHubs.has(id) || state === 'removed';
  const writes = writesOf(ladder, callers, ourTargets.filter(isTried));
  const [allowed, refused] = [
    writes.filter(({ wanted }) => wanted === 'OK'),
    writes.filter(({ wanted }) => wanted !== 'OK'),
  ];
  const acrossCompanies = writesOf(
    ladder,
    callers.filter(({ name }) => ['owner', 'full', 'none'].includes(name)),
    theirTargets.filter(({ audience }) => audience !== 'removed'),
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

  test.each(Object.keys(mutations))('that is refused says why and changes nothing: %s', async (name) => {
    const attempts = refused.filter(({ operation }) => operation === name);
    const [changes, failures] = await changesOf(world, () => failuresOf(attempts));
    expect([failures, changes]).toEqual([[], nothing]);
  });

  test(`of another company's records finds none: ${acrossCompanies.length} cells`, async () => {
    const [changes, failures] = await changesOf(world, () => failuresOf(acrossCompanies));
    expect([failures, changes]).toEqual([[], nothing]);
    expect(new Set(acrossCompanies.map(({ wanted }) => wanted))).toEqual(new Set(['NOT_FOUND']));
  });

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
  });

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

testLog(matrix);
