import { describe, expect, test } from 'vitest';
import type { ActivityAction, Prisma } from '../../src/generated/client/client.js';
import { mutation } from '../support/surfaces.js';
import { walk } from '../support/walk.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld({ isAlone: true });
const { db } = world;

type At = { companyId: string };
type Subject = Pick<Prisma.ActivityUncheckedCreateInput, 'goalId' | 'fileId' | 'documentId'>;

const page = `query ($first: Int, $after: String, $actions: [ActivityAction!]) {
  events(first: $first, after: $after, actions: $actions) {
    edges { cursor node { id } } nodes { id type sequence timestamp activity { id name subject { ... on Goal { id } } } }
    throughSequence pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
  }
}`;

const read = async (token: string, variables: Json = {}): Promise<Json> => {
  const { status, body } = await world.graphql(token, page, variables);
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  return body.data.events;
};

const namesSeenBy = async (token: string, variables?: Json): Promise<string[]> =>
  (await read(token, { first: 100, ...variables })).nodes.map(({ activity }: Json) => activity.name);

/** Writes an event, as others do, and numbers it. */
async function happen(
  { companyId }: At,
  author: { id: string },
  subject: Subject,
  name: string,
  action?: ActivityAction,
) {
  const usual = subject.goalId
    ? 'goal_closed'
    : subject.fileId
      ? 'resource_hub_file_created'
      : 'resource_hub_document_edited';
  await world.activity({ companyId, ...author }, { action: action ?? usual, name, ...subject });
  await world.numberEvents(companyId);
}

async function companyWithEvents(count: number) {
  const team = await world.team();
  const goal = await world.goal(team.space);
  for (let n = 1; n <= count; n += 1) await happen(goal, team.caller, { goalId: goal.id }, `event ${n}`);
  return { ...team, goal };
}

const errorsOf = async (token: string, variables: Json) => {
  const { status, body } = await world.graphql(token, page, variables);
  return { status, errors: body.errors?.[0]?.extensions.errors?.map(({ field, code }: Json) => ({ field, code })) };
};

describe('the feed', () => {
  test('has the newest first for whoever asks for them, page by page', async () => {
    const { caller } = await companyWithEvents(5);
    const newest = `query ($after: String) { events(first: 2, after: $after, direction: DESC) {
      nodes { activity { name } } pageInfo { endCursor hasNextPage } } }`;
    const found = await walk(async (after) => (await world.graphql(caller.token, newest, { after })).body.data.events);
    expect(found.map(({ activity }) => activity.name)).toEqual(['event 5', 'event 4', 'event 3', 'event 2', 'event 1']);
  });

  test('has the events from the beginning, oldest first, each with its type, sequence and activity', async () => {
    const { caller, space } = await world.team();
    const goal = await world.closedGoal(space, { name: 'Grow' });
    await happen(goal, caller, { goalId: goal.id }, 'Grow', 'goal_created');
    const input = { id: goal.id };
    const { body } = await world.graphql(caller.token, mutation('reopenGoal', 'activity { id insertedAt }'), { input });
    const { activity } = body.data.reopenGoal;
    expect((await read(caller.token)).nodes).toHaveLength(1); // not numbered yet
    await world.numberEvents(goal.companyId);
    const { nodes, edges, pageInfo } = await read(caller.readOnlyToken);
    expect(nodes.map(({ type, sequence }: Json) => [type, sequence])).toEqual([
      ['GOAL_CREATED', 1],
      ['GOAL_REOPENED', 2],
    ]);
    expect(nodes[1]).toEqual({
      id: activity.id,
      type: 'GOAL_REOPENED',
      sequence: 2,
      timestamp: activity.insertedAt,
      activity: { id: activity.id, name: 'Grow', subject: { id: goal.id } },
    });
    expect(edges.map(({ node }: Json) => node.id)).toEqual(nodes.map(({ id }: Json) => id));
    expect(pageInfo).toEqual({
      startCursor: edges[0].cursor,
      endCursor: edges[1].cursor,
      hasNextPage: false,
      hasPreviousPage: false,
    });
  });

  test('can be asked again where it ended, until something happens', async () => {
    const { caller, company } = await world.team();
    const nothing = await read(caller.token);
    expect(nothing).toMatchObject({ throughSequence: 0, pageInfo: { endCursor: null, hasNextPage: false } });
    const { goal, caller: other } = await companyWithEvents(2);
    const { endCursor: after } = (await read(other.token)).pageInfo;
    const again = await read(other.token, { after });
    expect(again).toMatchObject({
      nodes: [],
      throughSequence: 2,
      pageInfo: { endCursor: after, startCursor: null, hasNextPage: false },
    });
    await happen(goal, other, { goalId: goal.id }, 'new');
    expect(await namesSeenBy(other.token, { after: again.pageInfo.endCursor })).toEqual(['new']);
    expect(await namesSeenBy(caller.token)).toEqual([]);
    expect(company.companyId).not.toBe(goal.companyId);
  });

  test('has the events of some actions if asked for them', async () => {
    const { caller, goal } = await companyWithEvents(2);
    await happen(goal, caller, { goalId: goal.id }, 'reopened', 'goal_reopened');
    await happen(goal, caller, { goalId: goal.id }, 'created', 'goal_created');
    const actions = ['GOAL_CREATED', 'GOAL_REOPENED'];
    expect(await namesSeenBy(caller.token, { actions })).toEqual(['reopened', 'created']);
    expect(await namesSeenBy(caller.token, { actions: ['DOCUMENT_VERSION_RESTORED'] })).toEqual([]);
    expect(await namesSeenBy(caller.token, { actions: null })).toHaveLength(4);
    // The cursor is behind what was looked at, of whatever action.
    const { pageInfo } = await read(caller.token, { actions: ['RESOURCE_HUB_FILE_DELETED'] });
    expect(await namesSeenBy(caller.token, { after: pageInfo.endCursor })).toEqual([]);
  });

  test('leaves out the events of some origins if asked to, and says who wrote each', async () => {
    const { caller, goal, space } = await companyWithEvents(1);
    const closed = await world.closedGoal(space);
    await world.graphql(caller.token, mutation('reopenGoal', 'activity { id }'), { input: { id: closed.id } });
    await world.numberEvents(goal.companyId);
    const ask = `query ($except: [EventOrigin!]) { events(exceptOrigins: $except) { nodes { sequence origin body } } }`;
    const seen = async (except: string[] | null) => {
      const { body } = await world.graphql(caller.token, ask, { except });
      return body.data.events.nodes.map(({ sequence, origin, body: json }: Json) => {
        expect(json.origin).toBe(origin.toLowerCase());
        return `${sequence} ${origin}`;
      });
    };
    expect(await seen(null)).toEqual(['1 APPLICATION', '2 API']);
    expect(await seen([])).toEqual(['1 APPLICATION', '2 API']);
    expect(await seen(['APPLICATION', 'IMPORT'])).toEqual(['2 API']);
    expect(await seen(['API'])).toEqual(['1 APPLICATION']);
  });

  test('looks at a thousand events for a page, and its cursor is behind them', async () => {
    const { caller, goal, space, company } = await companyWithEvents(0);
    const hidden = await world.goal(space, { companyLevel: 0, spaceLevel: 0 });
    await world.activities(caller, hidden.id, 1300);
    while ((await world.numberEvents(company.companyId)).hasMore);
    await happen(goal, caller, { goalId: goal.id }, 'seen');
    const first = await read(caller.token, { first: 2 });
    expect(first).toMatchObject({
      nodes: [],
      throughSequence: 1000,
      pageInfo: { hasNextPage: true, startCursor: null },
    });
    const second = await read(caller.token, { first: 2, after: first.pageInfo.endCursor });
    expect(second.nodes.map(({ sequence }: Json) => sequence)).toEqual([1301]);
    expect(second).toMatchObject({
      throughSequence: 1301,
      pageInfo: { hasNextPage: false, endCursor: second.edges[0].cursor },
    });
    // A page that is full has looked no further than its last event.
    await happen(goal, caller, { goalId: goal.id }, 'seen too');
    const full = await read(caller.token, { first: 1, after: first.pageInfo.endCursor });
    expect(full).toMatchObject({ throughSequence: 1301, pageInfo: { hasNextPage: true } });
    // A cursor of an event that the caller cannot see does not name it.
    const [row] = await world.sql('SELECT id FROM activities WHERE company_id = $1 AND sequence = 1000', [
      company.companyId,
    ]);
    expect(Buffer.from(first.pageInfo.endCursor, 'base64url').toString()).not.toContain(row?.id);
  });
});

describe('who may see an event', () => {
  const hidden = { companyLevel: 0, spaceLevel: 0 };

  test('is who may view its goal or its hub, now: whoever loses access loses the past too', async () => {
    const { company, caller, space } = await world.team();
    const guest = await world.person(company, { type: 'guest' });
    const goal = await world.goal(space);
    const hub = await world.hub(company, { goalId: goal.id });
    const file = await world.file(hub, caller);
    const document = await world.document(hub, caller);
    await happen(goal, caller, { goalId: goal.id }, 'of the goal');
    await happen(goal, caller, { fileId: file.id }, 'of the file');
    await happen(goal, caller, { documentId: document.id }, 'of the document');
    const all = ['of the goal', 'of the file', 'of the document'];
    expect(await namesSeenBy(caller.token)).toEqual(all);
    expect(await namesSeenBy(guest.token)).toEqual([]);
    const grant = await world.grant(company, guest, 10, { goalId: goal.id });
    expect(await namesSeenBy(guest.token)).toEqual(all);
    await db.accessGrant.deleteMany({ where: { id: grant.id } });
    expect(await namesSeenBy(guest.token)).toEqual([]);
    await db.goal.updateMany({ where: { id: goal.id }, data: hidden });
    expect(await namesSeenBy(caller.token)).toEqual([]);
  });
});

describe('a cursor', () => {
  const unknown = { status: 400, errors: [{ field: 'after', code: 'invalid' }] };

  test('behind the last event, after the database was set back, is 400', async () => {
    const { caller, company } = await companyWithEvents(3);
    const { endCursor: after } = (await read(caller.token)).pageInfo;
    await world.sql('DELETE FROM activities WHERE company_id = $1 AND sequence > 2', [company.companyId]);
    await world.sql('UPDATE companies SET last_sequence = 2 WHERE id = $1', [company.companyId]);
    expect(await errorsOf(caller.token, { after })).toEqual(unknown);
  });

  test('whose event is another by now is 400, and the ones before still hold', async () => {
    const { caller, company, goal } = await companyWithEvents(3);
    const { edges } = await read(caller.token);
    await world.sql('DELETE FROM activities WHERE company_id = $1 AND sequence > 2', [company.companyId]);
    await world.sql('UPDATE companies SET last_sequence = 2 WHERE id = $1', [company.companyId]);
    for (const name of ['another', 'and one more']) await happen(goal, caller, { goalId: goal.id }, name);
    expect(await errorsOf(caller.token, { after: edges[2].cursor })).toEqual(unknown);
    expect(await namesSeenBy(caller.token, { after: edges[1].cursor })).toEqual(['another', 'and one more']);
  });

  test('of an event that was purged, or is hidden by now, still holds', async () => {
    const { caller, company, goal } = await companyWithEvents(4);
    const { edges } = await read(caller.token);
    await world.sql('DELETE FROM activities WHERE company_id = $1 AND sequence IN (2, 4)', [company.companyId]);
    expect(await namesSeenBy(caller.token, { after: edges[1].cursor })).toEqual(['event 3']);
    expect(await namesSeenBy(caller.token, { after: edges[3].cursor })).toEqual([]);
    await db.goal.updateMany({ where: { id: goal.id }, data: { companyLevel: 0, spaceLevel: 0 } });
    expect(await namesSeenBy(caller.token, { after: edges[2].cursor })).toEqual([]);
  });
});

test('bad input is 400 and names each field', async () => {
  const { caller } = await companyWithEvents(1);
  const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  for (const after of [
    'x',
    forged('goals.name', 0, 'a', 'b'),
    forged('events', 0, 1.5, 'x'),
    forged('events', 0, 1e300, 'x'),
  ])
    expect(await errorsOf(caller.token, { after })).toEqual({
      status: 400,
      errors: [{ field: 'after', code: 'invalid' }],
    });
  expect(await errorsOf(caller.token, { first: 101, after: 'x', actions: [] })).toEqual({
    status: 400,
    errors: [
      { field: 'first', code: 'too_large' },
      { field: 'after', code: 'invalid' },
      { field: 'actions', code: 'too_short' },
    ],
  });
});
