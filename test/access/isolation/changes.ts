import type { GraphQLSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../../src/schema.js';
import { changesOf, nothing } from '../../support/changes.js';
import { mutation, type Surface, snakeKeys, surfaces } from '../../support/surfaces.js';
import { type Json, mentioning, restPaths, type World } from '../../support/world.js';
import { inParallel } from './asking.js';
import type { Caller } from './callers.js';
import type { Cell } from './classes.js';
import { everything, readFacts } from './crawl.js';
import { likeFor, type Matrix, statusOf } from './matrix.js';
import { mutations } from './policy.js';
import type { Target } from './records.js';
import type { Scene } from './scene.js';
import { mayKnow } from './shown.js';

/** One mutation by one caller of one record, on one surface. */
interface Write extends Cell {
  operation: keyof typeof restPaths;
  surface: Surface;
}

const waysToChange = (targets: Target[]) =>
  Object.entries(mutations).flatMap(([name, need]) => {
    const operation = name as keyof typeof restPaths;
    const concerned = targets.filter(({ kind }) => kind === need.kind);
    return concerned.flatMap((target) =>
      surfaces.map((surface) => ({ operation, surface, way: `${operation} ${surface}`, target, need })),
    );
  });

const documents = new Map<string, string>();

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
  const query = documents.get(operation) ?? mutation(operation, everything(schema, payload, 2));
  documents.set(operation, query);
  const { status, body } = await matrix.graphql(caller, query, { input: given });
  const { path, locations, ...failure } = body.errors?.[0] ?? {};
  return { status, code: failure.extensions?.code ?? 'OK', failure, data: body.data };
}

/** Puts the records that mutations change back as they were, for the next caller. */
async function putBack(world: World, { kind, id, state }: Target): Promise<void> {
  if (kind === 'goals') {
    const closed = state === 'open' || state === 'reopened' ? '' : ', closed_at = now(), success = true';
    await world.sql(`UPDATE goals SET archived_at = $2${closed} WHERE id = $1`, [
      id,
      state === 'archived' ? new Date() : null,
    ]);
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

/** Each mutation, by each caller. */
export function tryMutations(scene: Scene): void {
  const { world, ours, theirs, ladder, callers, owner, matrix, ourTargets, theirTargets, isFor, cellsOf, hasTime } =
    scene;
  const refusal = ({ person, canWrite }: Caller) => (person && !canWrite ? 'READ_ONLY_TOKEN' : undefined);

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
    const writes = cellsOf(callers, waysToChange(ourTargets.filter(isTried)), refusal);
    const [allowed, refused] = [
      writes.filter(({ wanted }) => wanted === 'OK'),
      writes.filter(({ wanted }) => wanted !== 'OK'),
    ];
    const acrossCompanies = cellsOf(
      callers.filter(({ name }) => ['owner', 'full', 'none'].includes(name)),
      waysToChange(theirTargets.filter(({ audience }) => audience !== 'removed')),
    );

    /** What a mutation says of a record that there is not. */
    const twins = new Map<string, Promise<string>>();
    const sayingNothing = (one: Write) => {
      const said =
        twins.get(one.way) ??
        write(schema, matrix, one, one.need.ask('nobody-knows')).then(({ failure }) =>
          likeFor(failure, 'nobody-knows'),
        );
      twins.set(one.way, said);
      return said;
    };

    async function failuresOf(attempts: Write[]): Promise<string[]> {
      const attempt = async (one: Write) => {
        const { status, code, failure } = await write(schema, matrix, one);
        const { way, caller, target, wanted } = one;
        const isUnknown = wanted === 'NOT_FOUND' && !isFor(caller, target.id);
        if (isUnknown && likeFor(failure, target.id) !== (await sayingNothing(one)))
          return [
            `${way}, ${caller.name}, ${target.audience} ${target.state}: tells that it exists by ${JSON.stringify(failure)}`,
          ];
        if (code === wanted && status === statusOf(wanted)) return [];
        return [`${way}, ${caller.name}, ${target.audience} ${target.state}: ${status} ${code}, not ${wanted}`];
      };
      return (await inParallel(attempts, attempt, hasTime)).flat();
    }

    test(`that is refused says why, and no more of what is not for the caller than of nothing, and changes nothing: ${refused.length} cells`, async () => {
      const [changes, failures] = await changesOf(world, () => failuresOf([...refused, ...acrossCompanies]));
      expect([failures, changes]).toEqual([[], nothing]);
      expect(new Set(refused.map(({ operation }) => operation))).toEqual(new Set(Object.keys(mutations)));
      expect(new Set(acrossCompanies.map(({ wanted }) => wanted))).toEqual(new Set(['NOT_FOUND']));
    });

    test(`that is allowed succeeds, and shows only what the caller may see: ${allowed.length} cells`, async () => {
      const wrong: string[] = [];
      const byTarget = [...new Set(allowed.map(({ target }) => target.id))].map((id) =>
        allowed.filter(({ target }) => target.id === id),
      );
      await inParallel(
        byTarget,
        async (turns) => {
          for (const one of turns) {
            const { caller, target, need } = one;
            const now = { expectedCurrentVersion: await currentVersion(world, target) };
            const given = need.ask(target.id);
            const { status, code, data } = await write(schema, matrix, one, {
              ...given,
              ...('expectedCurrentVersion' in given && now),
            });
            if (status !== 200) wrong.push(`${one.way}, ${caller.name}, ${target.state}: ${status} ${code}`);
            readFacts(schema, data?.[one.operation] ?? {}, new Map(), (record) => {
              if (!mayKnow(ladder, caller, record.id))
                wrong.push(`${one.operation}, ${caller.name}: ${JSON.stringify(record).slice(0, 200)}`);
            });
            await putBack(world, target);
          }
        },
        hasTime,
      );
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
}
