import { describe, expect, test } from 'vitest';
import { filledDocument, filledFile, filledGoal } from '../support/filled.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const world = await createWorld();

// That a response has the documented fields, and no others, is what each request of a test is checked for.

/** The paths of what is null, an empty text or an empty list, anywhere in a response. */
function emptyIn(value: Json, path: string): string[] {
  const found = new Set<string>();
  const walk = (part: Json, at: string): void => {
    if (part === null || part === '' || part.length === 0) found.add(at);
    else if (Array.isArray(part)) for (const item of part) walk(item, `${at}[]`);
    else if (typeof part === 'object') for (const [name, inner] of Object.entries(part)) walk(inner, `${at}.${name}`);
  };
  walk(value, path);
  return [...found].sort();
}

async function call(path: string, token: string, body: Json): Promise<Json> {
  const answer = await world.post(path, token, body);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  return answer.body;
}

describe('no field of a REST answer is empty if there is something to show', () => {
  test('a goal', async () => {
    const { caller, goal } = await filledGoal(world, 3);
    const body = await call(restPaths.reopenGoal, caller.token, { id: goal.id });
    expect(Object.keys(body)).toEqual(['goal']);
    // It is open now, and nobody has read of it.
    const empty = ['archived_at', 'closed_at', 'closed_by', 'notifications[].read_at', 'success'];
    expect(emptyIn(body.goal, 'goal')).toEqual(empty.map((name) => `goal.${name}`));
    expect(body.goal).toMatchObject({
      status: 'outdated',
      privacy: 'public',
      my_role: 'champion',
      last_check_in: { status: 'on_track' },
      parent_goal: { status: 'achieved' },
      projects: [{ status: 'caution', privacy: 'public' }, {}, {}],
      timeframe: { contextual_start_date: { date_type: 'quarter' }, contextual_end_date: { date_type: 'day' } },
      notifications: [{ activity: { action: 'goal_reopened' } }, {}, {}],
      champion: { type: 'human' },
    });
  });

  test.each(['space', 'goal', 'project'] as const)('a file in the hub of a %s', async (parent) => {
    const made = await filledGoal(world, 3);
    const file = await filledFile(world, made, parent);
    const body = await call(restPaths.deleteResourceHubFile, made.caller.token, { file_id: file.id });
    expect(Object.keys(body)).toEqual(['file']);
    // The first folder is at the root of the hub.
    expect(emptyIn(body.file, 'file')).toEqual(['file.path_to_file[].parent_folder_id']);
    expect(body.file).toMatchObject({
      blob: { status: 'uploaded' },
      subscription_list: { parent_type: 'resource_hub_file', subscriptions: [{ type: 'joined' }, {}, {}] },
    });
  });

  test.each(['space', 'goal', 'project'] as const)('a document in the hub of a %s, and its version', async (parent) => {
    const made = await filledGoal(world, 3);
    const { id } = await filledDocument(world, made, parent);
    const body = await call(restPaths.restoreDocumentVersion, made.caller.token, {
      document_id: id,
      version_number: 1,
      expected_current_version: 4,
    });
    expect(Object.keys(body).sort()).toEqual(['document', 'restored_version']);
    const others = ['space', 'goal', 'project'].filter((name) => name !== parent);
    const empty = [
      ...others,
      ...(parent === 'goal' ? ['goal.archived_at'] : []),
      'notifications[].read_at',
      'path_to_document[].parent_folder_id',
    ];
    expect(emptyIn(body.document, 'document')).toEqual(empty.map((name) => `document.${name}`).sort());
    expect(emptyIn(body.restored_version, 'restored_version')).toEqual([]);
    expect(body).toMatchObject({
      document: {
        __typename: 'resource_hub_document',
        state: 'published',
        subscription_list: { parent_type: 'resource_hub_document' },
        notifications: [{ activity: { action: 'resource_hub_document_edited' } }, {}, {}],
      },
      restored_version: { __typename: 'document_version', origin: 'restored' },
    });
  });
});

describe('a REST answer is complete when there is nothing to show', () => {
  const emptied = (record: Json) =>
    Object.fromEntries(
      Object.entries<Json>(record)
        .filter(([, value]) => value === null || (Array.isArray(value) && value.length === 0))
        .map(([name, value]) => [name, value]),
    );

  test('a bare goal has nulls and empty lists', async () => {
    const { caller, space } = await world.team();
    const { goal } = await call(restPaths.reopenGoal, caller.token, { id: (await world.closedGoal(space)).id });
    expect(emptied(goal)).toEqual({
      ...Object.fromEntries(
        'description archived_at champion reviewer closed_at closed_by last_check_in last_check_in_id my_role next_update_scheduled_at parent_goal parent_goal_id retrospective success timeframe'
          .split(' ')
          .map((name) => [name, null]),
      ),
      checklist: [],
      notifications: [],
      projects: [],
      targets: [],
    });
  });

  test('and so do a bare file and a bare document', async () => {
    const { caller, hub } = await world.teamWithHub('space');
    const { file } = await call(restPaths.deleteResourceHubFile, caller.token, {
      file_id: (await world.file(hub, caller)).id,
    });
    const nothing = { parent_folder: null, parent_folder_id: null, reactions: [], subscription_list: null };
    expect(emptied(file)).toEqual({ ...nothing, description: null, path_to_file: [] });
    const { document, restored_version } = await call(restPaths.restoreDocumentVersion, caller.token, {
      document_id: (await world.document(hub, caller)).id,
      version_number: 3,
      expected_current_version: 3,
    });
    expect(restored_version).toBeNull();
    expect(emptied(document)).toEqual({
      ...nothing,
      goal: null,
      project: null,
      notifications: [],
      path_to_document: [],
      public_url: null,
    });
  });
});

test('Goalpost-Changed says whether anything has changed, also of a retry', async () => {
  const { company, caller, space } = await world.team();
  const goal = await world.closedGoal(space);
  const send = async (input: Json, headers = {}) => {
    const { status, headers: got } = await world.post(restPaths.reopenGoal, caller.token, input, headers);
    return [status, got.get('goalpost-changed')];
  };
  const key = { 'idempotency-key': 'changed' };
  expect(await send({ id: goal.id, message: 'Again.' }, key)).toEqual([200, 'true']);
  expect(await send({ id: goal.id, message: 'Again.' }, key)).toEqual([200, 'true']);
  const posted = await world.db.activity.count({ where: company });
  expect(await send({ id: goal.id, message: 'And again.' })).toEqual([200, 'false']);
  expect(await world.db.activity.count({ where: company })).toBe(posted);
  expect(await send({})).toEqual([200, 'false']);
  expect(await send({ id: 'unknown' })).toEqual([404, null]);
});

test('a query parameter on a path of REST is 400, as an unknown field is', async () => {
  const { caller, space } = await world.team();
  const goal = await world.closedGoal(space);
  const { status, body } = await world.post(`${restPaths.reopenGoal}?id=${goal.id}&id=x`, caller.token, {});
  expect([status, body.errors]).toMatchObject([400, [{ field: 'id', code: 'unknown' }]]);
});
