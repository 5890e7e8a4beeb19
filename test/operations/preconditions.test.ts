import { describe, expect, test } from 'vitest';
import { capitalized, previewOf } from '../../src/operations/declaration.js';
import { type Operation, operations, operationsUnderTest, recordOf } from '../support/operations.js';
import { mutation } from '../support/surfaces.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const world = await createWorld({ isAlone: true });
const { company, caller, space } = await world.team();
const setting = { company, space, caller };

const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
const graphqlInput = (input: Json) =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [camel(name), value]));

// A state tells of every change, also of one that the database does not let anybody make alone.
await world.sql('ALTER TABLE resource_hub_documents DISABLE TRIGGER resource_hub_documents_as_current_version');

/** What the preview of an operation says, asked for with a read-only token unless another is given. */
async function preview(operation: Operation, input: Json, token = caller.readOnlyToken): Promise<Json> {
  const field = previewOf(operation);
  const { expectedCurrentVersion: _, ...variables } = graphqlInput(input);
  const query = `query ($input: ${capitalized(field)}Input!) { preview: ${field}(input: $input) { state wouldChange } }`;
  const { body } = await world.graphql(token, query, { input: variables });
  expect(body.errors).toBeUndefined();
  return body.data.preview;
}

/** Runs an operation that expects a state. */
const surfaces = {
  async REST(operation: Operation, input: Json, state: string) {
    const { status, body } = await world.post(restPaths[operation], caller.token, input, { 'if-match': `"${state}"` });
    return { status, code: body.code, state: body.state };
  },
  async GraphQL(operation: Operation, input: Json, state: string) {
    const expecting = { ...graphqlInput(input), expectedState: state };
    const { status, body } = await world.graphql(caller.token, mutation(operation), { input: expecting });
    const { code, state: found } = body.errors?.[0].extensions ?? {};
    return { status, code, state: found };
  },
};

const tables = {
  goal: ['goals', 'id'],
  file: ['resource_hub_files', 'file_id'],
  document: ['resource_hub_documents', 'document_id'],
} as const;

const activitiesNow = () => world.db.activity.count({ where: company });

describe.each(operations)('%s', (operation) => {
  const [table, key] = tables[recordOf(operation)];
  const target = () => operationsUnderTest[operation].input(world, setting);
  /** The id of the record of an input. */
  const idIn = async (input: Json): Promise<string> =>
    operation === 'undoChange'
      ? (await world.sql('SELECT file_id AS id FROM activities WHERE id = $1', [input.activity_id]))[0]?.id
      : input[key];

  // Both surfaces hand the same state on: one operation on both, the others on one.
  const tried = operation === 'restoreDocumentVersion' ? (['REST', 'GraphQL'] as const) : (['GraphQL'] as const);
  describe.each(tried)('through %s', (surface) => {
    const run = surfaces[surface];

    test('does what its preview showed, if the record is still in that state', async () => {
      const input = await target();
      const shown = await preview(operation, input);
      expect(shown).toEqual({ state: expect.stringMatching(/^[0-9a-f]{32}$/), wouldChange: true });
      const before = await activitiesNow();
      expect(await run(operation, input, shown.state)).toMatchObject({ status: 200 });
      expect(await activitiesNow()).toBe(before + 1);
    });

    test('changes nothing if the record has changed, and says its new state, with which it succeeds', async () => {
      const input = await target();
      const { state } = await preview(operation, input);
      await world.sql(`UPDATE ${table} SET name = name || '!' WHERE company_id = $1 AND id = $2`, [
        company.companyId,
        await idIn(input),
      ]);
      const before = await activitiesNow();
      const refused = await run(operation, input, state);
      expect(refused).toMatchObject({ status: 409, code: 'STATE_CHANGED' });
      expect(refused.state).toBe((await preview(operation, input)).state);
      expect(await activitiesNow()).toBe(before);
      expect(await run(operation, input, refused.state)).toMatchObject({ status: 200 });
    });

    test('is decided by its write: a record that changes after it was read is refused', async () => {
      const input = await target();
      const { state } = await preview(operation, input);
      const before = await activitiesNow();
      const id = await idIn(input);
      const rename = `UPDATE ${table} SET name = name || '!' WHERE company_id = $1 AND id = $2`;
      const { release } = await world.holding(rename, [company.companyId, id]);
      const answer = run(operation, input, state);
      await world.untilOneWaits();
      await release();
      expect(await answer).toMatchObject({ status: 409, code: 'STATE_CHANGED' });
      expect(await activitiesNow()).toBe(before);
    });
  });
});

test.each(['"two", "states"', `"${'x'.repeat(101)}"`, 'W/"weak"'])(
  'refuses If-Match: %s with 400 on the header, and any state does for *',
  async (header) => {
    const input = await operationsUnderTest.reopenGoal.input(world, setting);
    const { status, body } = await world.post(restPaths.reopenGoal, caller.token, input, { 'if-match': header });
    expect({ status, field: body.errors?.[0].field }).toEqual({ status: 400, field: 'If-Match' });
    const any = await world.post(restPaths.reopenGoal, caller.token, input, { 'if-match': '*' });
    expect(any.status).toBe(200);
  },
);

// Each of these is something of which a preview tells, or on which the change depends.
test.each([
  ['reopenGoal', 'closed_at', "closed_at - interval '1 day'"],
  ['reopenGoal', 'success', 'NOT success'],
  ['recoverResourceHubFile', 'deleted_at', "deleted_at - interval '1 day'"],
  ['restoreDocumentVersion', 'content', "'Other words'"],
] as const)('the state of what %s changes depends on %s', async (operation, column, value) => {
  const [table, key] = tables[recordOf(operation)];
  const input = await operationsUnderTest[operation].input(world, setting);
  const { state } = await preview(operation, input);
  await world.sql(`UPDATE ${table} SET ${column} = ${value} WHERE company_id = $1 AND id = $2`, [
    company.companyId,
    input[key],
  ]);
  expect((await preview(operation, input)).state).not.toBe(state);
});

test('a state that has changed back is the same again: what counts is what the change depends on', async () => {
  const input = await operationsUnderTest.deleteResourceHubFile.input(world, setting);
  const { state } = await preview('deleteResourceHubFile', input);
  await world.post(restPaths.deleteResourceHubFile, caller.token, input);
  await world.post(restPaths.recoverResourceHubFile, caller.token, input);
  expect((await preview('deleteResourceHubFile', input)).state).toBe(state);
});

test('the preview of a deletion names those whom it then notifies, and that of a recovery the file', async () => {
  const hub = await world.hub(company, { spaceId: space.id });
  const file = await world.file(hub, caller);
  const [follower, canceled] = [await world.person(company), await world.person(company)];
  await world.subscribe({ ...company, fileId: file.id }, [follower, caller, { id: canceled.id, canceled: true }]);
  const query = `query ($input: PreviewDeleteResourceHubFileInput!) { previewDeleteResourceHubFile(input: $input) {
    file { id name } notified { totalCount nodes { id } } } }`;
  const asked = await world.graphql(caller.readOnlyToken, query, { input: { fileId: file.id } });
  const found = asked.body.data.previewDeleteResourceHubFile;
  expect(found).toEqual({
    file: { id: file.id, name: file.name },
    notified: { totalCount: 1, nodes: [{ id: follower.id }] },
  });
  await world.post(restPaths.deleteResourceHubFile, caller.token, { file_id: file.id });
  const notified = await world.db.notification.findMany({ where: { activity: { fileId: file.id } } });
  expect(notified.map(({ personId }) => personId)).toEqual([follower.id]);
  const recovering = await world.graphql(
    caller.readOnlyToken,
    'query ($id: ID) { previewRecoverResourceHubFile(input: { fileId: $id }) { wouldChange file { id } } }',
    { id: file.id },
  );
  expect(recovering.body.data.previewRecoverResourceHubFile).toEqual({ wouldChange: true, file: { id: file.id } });
});

describe('a precondition that nobody would look at is refused, and nothing is changed', () => {
  const body = (id: string | null) => ({
    query: mutation('deleteResourceHubFile'),
    variables: { input: { fileId: id } },
  });
  const onMcp = (id: string | null) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'delete_resource_hub_file', arguments: { file_id: id } },
  });

  test.each([
    ['If-Match', '/graphql', body],
    ['If-Match', '/mcp', onMcp],
    ['If-None-Match', restPaths.deleteResourceHubFile, (id: string | null) => ({ file_id: id })],
    ['If-None-Match', '/graphql', body],
    ['If-Unmodified-Since', restPaths.deleteResourceHubFile, (id: string | null) => ({ file_id: id })],
  ])('%s on %s', async (field, path, bodyOf) => {
    const { file_id: id } = await operationsUnderTest.deleteResourceHubFile.input(world, setting);
    for (const accept of ['application/json', '*/*']) {
      const answer = await world.post(path, caller.token, bodyOf(id), { [field]: '"0000"', accept });
      const { code, errors } = answer.body.errors?.[0].extensions ?? answer.body;
      expect([answer.status, code, errors]).toMatchObject([400, 'BAD_USER_INPUT', [{ field }]]);
      if (path === '/graphql' && field === 'If-Match') expect(errors[0].message).toContain('`expectedState`');
    }
    expect((await world.db.resourceHubFile.findFirst({ where: { id } }))?.deletedAt).toBeNull();
  });

  // Those whose input may name none.
  test.each(operations.filter((operation) => !['restoreDocumentVersion', 'undoChange'].includes(operation)))(
    'beside an input of %s that names no record',
    async (operation) => {
      for (const state of ['"0000"', '*']) {
        const { status, body } = await world.post(restPaths[operation], caller.token, {}, { 'if-match': state });
        expect([status, body.errors]).toMatchObject([400, [{ field: 'If-Match', code: 'invalid' }]]);
      }
      const input = { expectedState: '0000' };
      const { status, body } = await world.graphql(caller.token, mutation(operation), { input });
      const { errors } = body.errors[0].extensions;
      expect([status, errors]).toMatchObject([400, [{ field: 'input.expectedState', code: 'invalid' }]]);
    },
  );
});
