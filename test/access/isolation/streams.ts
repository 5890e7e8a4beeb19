import { beforeAll, describe, expect, test } from 'vitest';
import { eventCursor } from '../../../src/events/event.js';
import { askForStream, type OpenStream, openStream } from '../../support/openStream.js';
import type { World } from '../../support/world.js';
import type { Caller } from './callers.js';
import { foundIn } from './canaries.js';
import { Ladder } from './ladder.js';
import { fields } from './policy.js';
import type { Scene } from './scene.js';
import { Links } from './shown.js';

/** For {@link openScene}: a clock that runs so much faster that a stream says every half second how far it has come. */
export const streaming = { now: () => 20 * performance.now() };

const query = `subscription ($after: String) {
  events(after: $after) { id type sequence body activity { id name author { id fullName } } }
}`;
const fromTheBeginning = eventCursor(0, '');

const sequenceIn = (cursor = ''): number => JSON.parse(Buffer.from(cursor, 'base64url').toString())[2];

const eventsOf = async (world: World) =>
  (await Links.read(world, { events: fields['Query.events'] ?? {} })).of('events', 'Query');

/** Of all events the last, and the last for each action and for each way in which the policy shows the record to the callers. */
async function leaveOneOfEachClass({ world, people }: Scene): Promise<void> {
  const ladder = await Ladder.read(world);
  const deciders = new Map((await eventsOf(world)).map(({ target, decider = target }) => [target, decider]));
  const classes = new Map<string, string>();
  for (const { id, action } of await world.sql('SELECT id, action FROM activities ORDER BY sequence DESC')) {
    const decider = deciders.get(id) ?? '';
    const reasons = people.map(({ person }) => ladder.reasonsOf(person ?? '', decider));
    for (const key of [`${action} ${ladder.companyOf(decider)}`, reasons.join()])
      if (!classes.has(key)) classes.set(key, id);
  }
  // What else refers to an event is not read here.
  await world.sql(
    `BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM activities WHERE id NOT IN (${[...classes.values()].map((id) => `'${id}'`)}); COMMIT`,
  );
}

/** What streams send to whom. */
export function tryStreams(scene: Scene): void {
  const { world, ours, theirs, ourTexts, theirTexts, callers, people, matrix, isWhole } = scene;
  const strangers = callers.filter(({ person }) => !person);

  let base = '';
  let policy: Awaited<ReturnType<typeof policyNow>>;
  beforeAll(async () => {
    if (!isWhole) await leaveOneOfEachClass(scene);
    policy = await policyNow();
    world.startDispatcher();
    base = await world.base();
  });

  const companyOf = ({ company }: Caller) => (company === 'ours' ? ours : theirs).companyId;
  const foreignTo = ({ company }: Caller) => (company === 'ours' ? theirTexts : ourTexts);

  /** What the feed shows behind a cursor, as ids. */
  async function feed(caller: Caller, after: string | null): Promise<string[]> {
    const page =
      'query ($after: String) { events(first: 100, after: $after) { nodes { id } pageInfo { endCursor hasNextPage } } }';
    const { body } = await matrix.graphql(caller, page, { after });
    const { nodes, pageInfo } = body.data.events;
    const ids = nodes.map(({ id }: { id: string }) => id);
    return pageInfo.hasNextPage ? [...ids, ...(await feed(caller, pageInfo.endCursor))] : ids;
  }

  /** What a stream sends until it has come as far as the company, as ids. */
  async function read(caller: Caller, stream: OpenStream): Promise<string[]> {
    const [{ last }] = await world.sql('SELECT last_sequence AS last FROM companies WHERE id = $1', [
      companyOf(caller),
    ]);
    const ids: string[] = [];
    for (let block = await stream.next(); block; block = await stream.next()) {
      if (block.data) ids.push(block.data.data.events.id);
      else if (sequenceIn(block.id) === Number(last)) return ids;
      const found = foundIn(JSON.stringify(block), foreignTo(caller), []);
      if (found.length > 0) throw new Error(`a stream to ${caller.name} shows ${found}`);
    }
    throw new Error(`the stream to ${caller.name} has ended`);
  }

  /** What the policy shows to each caller, as it is now. */
  async function policyNow(): Promise<(caller: Caller) => Set<string>> {
    const ladder = await Ladder.read(world);
    const events = await eventsOf(world);
    return ({ person }) => {
      const seen = events.filter(({ target, decider = target }) => ladder.sees(person ?? '', decider));
      return new Set(seen.map(({ target }) => target));
    };
  }

  /** Others write one event for each goal, file and document of ours. */
  async function writeAll(): Promise<void> {
    // Nobody writes about a draft that is deleted.
    const documents = "(SELECT * FROM resource_hub_documents WHERE state = 'published' OR deleted_at IS NULL) d";
    for (const [table, subject, action] of [
      ['goals', 'goal_id', 'goal_closed'],
      ['resource_hub_files', 'file_id', 'resource_hub_file_created'],
      [documents, 'document_id', 'resource_hub_document_edited'],
    ])
      await world.sql(
        `INSERT INTO activities (company_id, action, author_id, ${subject}, name)
         SELECT company_id, '${action}', $2, id, name FROM ${table} WHERE company_id = $1`,
        [ours.companyId, ours.people.owner.id],
      );
    const waiting = () =>
      world.sql('SELECT id FROM activities WHERE company_id = $1 AND sequence IS NULL', [ours.companyId]);
    while ((await waiting()).length > 0) world.dispatcher.changed(ours.companyId);
  }

  describe('a stream', () => {
    test.each(people)('to $name sends what the policy and the feed show', async (caller) => {
      const stream = await openStream(base, caller.token ?? '', { query, variables: { after: fromTheBeginning } });
      const ids = await read(caller, stream);
      stream.close();
      expect(ids).toEqual(await feed(caller, null));
      expect(new Set(ids)).toEqual(policy(caller));
      matrix.cells += ids.length;
    });

    test.each(strangers)('is refused $name', async ({ token }) => {
      expect(await askForStream(base, token ?? 'none', { query })).toMatchObject({ status: 401 });
    });

    test('sends nothing more of what is withdrawn from its caller, and ends once they are shut out', async () => {
      const streams = await Promise.all(people.map(({ token }) => openStream(base, token ?? '', { query })));
      const starts = streams.map(({ lastEventId }) => lastEventId);
      const before = people.map(policy);
      await world.sql('DELETE FROM access_grants WHERE company_id = $1 AND goal_id IS NOT NULL', [ours.companyId]);
      await world.sql('UPDATE goals SET company_level = 0 WHERE company_id = $1', [ours.companyId]);
      await writeAll();
      const now = await policyNow();
      let withdrawn = 0;
      for (const [index, caller] of people.entries()) {
        const ids = await read(caller, streams[index] as OpenStream);
        expect(ids, caller.name).toEqual(await feed(caller, starts[index] ?? null));
        const seen = now(caller);
        expect(ids.filter((id) => !seen.has(id))).toEqual([]);
        withdrawn += [...(before[index] ?? [])].filter((id) => !seen.has(id)).length;
        matrix.cells += ids.length;
      }
      expect(withdrawn).toBeGreaterThan(0);

      const shutOut = people.flatMap((caller, index) => (caller.company === 'ours' ? [{ caller, index }] : []));
      for (const { caller, index } of shutOut)
        await world.sql(
          index % 2 === 0
            ? 'UPDATE people SET suspended_at = now() WHERE id = $1'
            : 'UPDATE api_tokens SET revoked_at = now() WHERE person_id = $1',
          [caller.person],
        );
      await writeAll();
      for (const { caller, index } of shutOut) {
        const [last, end] = [await streams[index]?.event(), await streams[index]?.event()];
        expect(last?.data, caller.name).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
        expect(last?.data.data, caller.name).toBeUndefined();
        expect(end, caller.name).toMatchObject({ event: 'complete' });
      }
      for (const stream of streams) stream.close();
    });
  });
}
