import { describe, expect, test } from 'vitest';
import { filledDocument, filledFile, filledGoal } from '../support/filled.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const world = await createWorld();

/** The documented fields of every record: `name: kind` for a nested record, `name: [kind]` for a list of them. */
type Shape = Record<string, string>;

const words = (text: string): Shape =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((word) => {
        const [name = '', kind = 'string'] = word.split(':');
        return [name, kind];
      }),
  );

const shapes: Record<string, Shape> = {
  goal: words(
    `id name description access_levels:access_levels archived_at:none champion:person reviewer:person
    checklist:[goal_check] closed_at:none closed_by:none inserted_at:timestamp updated_at:timestamp is_archived:boolean
    is_closed:boolean is_outdated:boolean last_check_in:goal_progress_update last_check_in_id my_role
    next_update_scheduled_at:timestamp notifications:[notification] parent_goal:nested_goal parent_goal_id
    permissions:goal_permissions potential_subscribers:[subscriber] privacy progress_percentage:number projects:[project]
    retrospective:goal_retrospective space:space status success:none targets:[target] timeframe:timeframe`.replace(
      '?',
      '',
    ),
  ),
  resource_hub_file: words(`id name description author:person blob:blob comments_count:integer inserted_at:timestamp
    parent_folder:resource_hub_folder parent_folder_id path_to_file:[resource_hub_folder]
    permissions:resource_hub_permissions potential_subscribers:[subscriber] reactions:[reaction] resource_hub:resource_hub
    resource_hub_id size:integer subscription_list:subscription_list type`),
  resource_hub_document: words(`__typename id name content author:person comments_count:integer current_version:integer
    versions_count:integer goal:nested_goal project:project space:space notifications:[notification]
    parent_folder:resource_hub_folder parent_folder_id path_to_document:[resource_hub_folder]
    permissions:resource_hub_permissions potential_subscribers:[subscriber] public_url url published_at:timestamp
    inserted_at:timestamp updated_at:timestamp reactions:[reaction] resource_hub:resource_hub resource_hub_id state
    subscription_list:subscription_list`),
  document_version: words(`__typename id version_number:integer title content title_changed:boolean
    content_changed:boolean editor:person inserted_at:timestamp is_current:boolean origin
    restored_from_version_number:integer`),
  // A goal in another record: its scalar fields, its small value objects and its people, no further level.
  nested_goal:
    words(`id name description access_levels:access_levels archived_at:timestamp? champion:person reviewer:person
    closed_at:timestamp closed_by:person inserted_at:timestamp updated_at:timestamp is_archived:boolean is_closed:boolean
    is_outdated:boolean last_check_in_id my_role next_update_scheduled_at:timestamp parent_goal_id
    permissions:goal_permissions privacy progress_percentage:number status success:boolean timeframe:timeframe`),
  person: words('id full_name title email avatar_url type'),
  goal_progress_update: words(`id status message inserted_at:timestamp author:person acknowledged:boolean
    acknowledged_at:timestamp acknowledging_person:person comments_count:integer reactions:[reaction]`),
  notification: words('id read:boolean read_at:none inserted_at:timestamp activity:activity'),
  activity: words('id action inserted_at:timestamp author:person'),
  subscriber: words('role priority:boolean is_subscribed:boolean person:person'),
  project:
    words(`id name status privacy description goal_id space_id champion:person reviewer:person closed_at:timestamp
    is_closed:boolean inserted_at:timestamp updated_at:timestamp`),
  space: words('id name mission is_company_space:boolean is_member:boolean access_levels:access_levels'),
  timeframe: words('contextual_start_date:contextual_date contextual_end_date:contextual_date'),
  contextual_date: words('date_type value date:date'),
  target: words('id index:integer name from:number to:number unit value:number'),
  goal_check: words('id name completed:boolean index:integer inserted_at:timestamp updated_at:timestamp'),
  goal_permissions: words('can_view:boolean can_comment:boolean can_edit:boolean has_full_access:boolean'),
  goal_retrospective: words('id title content author:person inserted_at:timestamp comment_count:integer'),
  access_levels: words('public:integer company:integer space:integer'),
  blob: words('id status filename size:integer content_type width:integer height:integer url'),
  reaction: words('id emoji person:person'),
  // Its space, goal and project would be a further level.
  resource_hub: words('id name description inserted_at:timestamp updated_at:timestamp'),
  resource_hub_folder: words('id name description resource_hub_id parent_folder_id:parent children_count:integer'),
  resource_hub_permissions: words(
    `can_view can_comment_on_document can_comment_on_file can_comment_on_link can_create_document can_create_folder
    can_create_file can_create_link can_edit_document can_edit_file can_edit_link can_edit_parent_folder
    can_delete_document can_delete_file can_delete_folder can_delete_link can_copy_folder can_rename_folder`.replace(
      /\w+/g,
      '$&:boolean',
    ),
  ),
  subscription_list: words('id parent_type send_to_everyone:boolean subscriptions:[subscription]'),
  subscription: words('id type canceled:boolean person:person'),
};

const isTimestamp = (value: Json) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);

const scalars: Record<string, (value: Json) => boolean> = {
  string: (value) => typeof value === 'string' && value !== '',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  timestamp: isTimestamp,
  'timestamp?': (value) => value === null || isTimestamp(value),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value),
  parent: (value) => value === null || typeof value === 'string',
  // These are null in every answer: an open goal is not closed, and an unread notification has not been read.
  none: (value) => value === null,
};

/** Every difference of a record from its documented shape; no field may be empty. */
function differences(record: Json, kind: string, path: string, empty: string[] = []): string[] {
  const shape = shapes[kind] ?? {};
  const found = [
    ...Object.keys(shape)
      .filter((name) => !(name in record))
      .map((name) => `${path}.${name} is missing`),
  ];
  for (const [name, value] of Object.entries<Json>(record)) {
    const at = `${path}.${name}`;
    const fieldKind = shape[name];
    const nested = fieldKind?.replace(/[[\]]/g, '') ?? '';
    if (!fieldKind) found.push(`${at} is not documented`);
    else if (empty.includes(name)) found.push(...(value === null ? [] : [`${at} is not null`]));
    else if (fieldKind.startsWith('[')) {
      if (!Array.isArray(value) || value.length === 0) found.push(`${at} is no filled list`);
      else for (const [index, item] of value.entries()) found.push(...differences(item, nested, `${at}[${index}]`));
    } else if (shapes[fieldKind]) found.push(...(value ? differences(value, fieldKind, at) : [`${at} is empty`]));
    else if (!scalars[fieldKind]?.(value)) found.push(`${at} is ${JSON.stringify(value)}, not a ${fieldKind}`);
  }
  return found;
}

async function call(path: string, token: string, body: Json): Promise<Json> {
  const answer = await world.post(path, token, body);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  return answer.body;
}

describe('a REST answer has every documented field, nothing else, and no further level', () => {
  test('a goal', async () => {
    const { caller, goal } = await filledGoal(world, 3);
    const body = await call(restPaths.reopenGoal, caller.token, { id: goal.id });
    expect(Object.keys(body)).toEqual(['goal']);
    expect(differences(body.goal, 'goal', 'goal')).toEqual([]);
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
    expect(differences(body.file, 'resource_hub_file', 'file')).toEqual([]);
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
    expect(differences(body.document, 'resource_hub_document', 'document', others)).toEqual([]);
    expect(differences(body.restored_version, 'document_version', 'restored_version')).toEqual([]);
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
    expect(Object.keys(goal).sort()).toEqual(Object.keys(shapes.goal ?? {}).sort());
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
    const { company, caller, space } = await world.team();
    const hub = await world.hub(company, { spaceId: space.id });
    const { file } = await call(restPaths.deleteResourceHubFile, caller.token, {
      file_id: (await world.file(hub, caller)).id,
    });
    expect(Object.keys(file).sort()).toEqual(Object.keys(shapes.resource_hub_file ?? {}).sort());
    const nothing = { parent_folder: null, parent_folder_id: null, reactions: [], subscription_list: null };
    expect(emptied(file)).toEqual({ ...nothing, description: null, path_to_file: [] });
    const { document, restored_version } = await call(restPaths.restoreDocumentVersion, caller.token, {
      document_id: (await world.document(hub, caller)).id,
      version_number: 3,
      expected_current_version: 3,
    });
    expect(restored_version).toBeNull();
    expect(Object.keys(document).sort()).toEqual(Object.keys(shapes.resource_hub_document ?? {}).sort());
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
