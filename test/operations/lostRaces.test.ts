import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openModels } from '../../src/database.js';
import { usesPgbouncer } from '../support/pgbouncer.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();

const isWrite = (sql: string) => /^\s*WITH.*UPDATE (goals|resource_hub_\w+)/s.test(sql);

/**
 * Makes the request. Each of its statements waits for what `before` returns for it and the process of its connection, and
 * those that are sent there behind it wait too.
 */
async function waitingFor(
  before: (sql: string, processId: number) => Promise<unknown> | undefined,
  request: () => Promise<Json>,
) {
  const { query } = pg.Client.prototype;
  const waits = new WeakMap<pg.Client, Promise<unknown>>();
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: Json[]) {
    const sql = given[0]?.text ?? given[0];
    const ask = () => Reflect.apply(query, this, given);
    const change = typeof sql === 'string' ? before(sql, (this as Json).processID) : undefined;
    const wait = change ? Promise.all([waits.get(this), change]) : waits.get(this);
    if (wait) waits.set(this, wait);
    return (wait ? wait.then(ask) : ask()) as never;
  });
  onTestFinished(() => spy.mockRestore());
  return request();
}

/** Makes the request, and the change after its reads and before its write. */
async function changing(sql: string, values: unknown[], request: () => Promise<Json>): Promise<Json> {
  let isChanged = false;
  const change = (statement: string) => {
    if (isChanged || !isWrite(statement)) return undefined;
    isChanged = true;
    return world.sql(sql, values);
  };
  const answer = await waitingFor(change, request);
  expect(isChanged).toBe(true);
  return answer;
}

async function setting() {
  const { company, caller, space, hub } = await world.teamWithHub('space', { companyLevel: 0 });
  const [goal, document, file, deleted] = await Promise.all([
    world.closedGoal(space, { companyLevel: 0 }),
    world.document(hub, caller),
    world.file(hub, caller),
    world.file(hub, caller, { deletedAt: new Date() }),
  ]);
  const input = {
    reopenGoal: { id: goal.id },
    restoreDocumentVersion: { document_id: document.id, version_number: 1, expected_current_version: 3 },
    deleteResourceHubFile: { file_id: file.id },
    recoverResourceHubFile: { file_id: deleted.id },
  };
  const call = (operation: keyof typeof input) => () =>
    world.post(restPaths[operation], caller.token, input[operation]);
  const activities = () => world.db.activity.count({ where: { companyId: company.companyId } });
  return { companyId: company.companyId, space, goal, document, file, deleted, call, activities, token: caller.token };
}

describe('what has changed since it was read decides:', () => {
  test.each(['reopenGoal', 'restoreDocumentVersion', 'deleteResourceHubFile', 'recoverResourceHubFile'] as const)(
    '%s is 404 without access, and changes nothing',
    async (operation) => {
      const { companyId, space, call, activities } = await setting();
      const leave = 'DELETE FROM space_members WHERE company_id = $1 AND space_id = $2';
      const { status, body } = await changing(leave, [companyId, space.id], call(operation));
      expect([status, body.code, await activities()]).toEqual([404, 'NOT_FOUND', 0]);
    },
  );

  test.each(['reopenGoal', 'restoreDocumentVersion', 'deleteResourceHubFile', 'recoverResourceHubFile'] as const)(
    '%s is 403 with view access only, and changes nothing',
    async (operation) => {
      const { companyId, space, goal, call, activities } = await setting();
      const lower = `WITH spaces AS (UPDATE spaces SET space_level = 10 WHERE company_id = $1 AND id = $2)
        UPDATE goals SET space_level = 10 WHERE company_id = $1 AND id = $3`;
      const { status, body } = await changing(lower, [companyId, space.id, goal.id], call(operation));
      expect([status, body.code, await activities()]).toEqual([403, 'FORBIDDEN', 0]);
    },
  );

  test.each(['reopenGoal', 'restoreDocumentVersion', 'deleteResourceHubFile', 'recoverResourceHubFile'] as const)(
    '%s is 401 with a token that was revoked, and changes nothing',
    async (operation) => {
      const { companyId, call, activities } = await setting();
      const revoke = 'UPDATE api_tokens SET revoked_at = now() WHERE company_id = $1';
      const { status, body } = await changing(revoke, [companyId], call(operation));
      expect([status, body.code, await activities()]).toEqual([401, 'UNAUTHENTICATED', 0]);
    },
  );

  test('a goal that is archived is not reopened', async () => {
    const { companyId, goal, call, activities } = await setting();
    const archive = 'UPDATE goals SET archived_at = now() WHERE company_id = $1 AND id = $2';
    const { status, body } = await changing(archive, [companyId, goal.id], call('reopenGoal'));
    expect([status, body.code, await activities()]).toEqual([409, 'GOAL_ARCHIVED', 0]);
  });

  test('a document that is deleted is not restored', async () => {
    const { companyId, document, call, activities } = await setting();
    const remove = 'UPDATE resource_hub_documents SET deleted_at = now() WHERE company_id = $1 AND id = $2';
    const { status, body } = await changing(remove, [companyId, document.id], call('restoreDocumentVersion'));
    expect([status, body.code, await activities()]).toEqual([404, 'NOT_FOUND', 0]);
  });

  test('a request that loses ten races in a row is 503, and changes nothing', async () => {
    const { companyId, deleted, call, activities } = await setting();
    const set = 'UPDATE resource_hub_files SET deleted_at = $3 WHERE company_id = $1 AND id = $2';
    let lost = 0;
    let isWriting = false;
    // Others recover the file before each write, and delete it again before the next read.
    const lose = (sql: string) => {
      if (isWrite(sql)) lost += 1;
      // What reads the file in the round trip of its write comes too soon.
      isWriting = isWrite(sql) || (isWriting && sql !== 'END');
      if (!isWrite(sql) && (isWriting || lost === 0 || !/^SELECT .*"resource_hub_files"/s.test(sql))) return undefined;
      return world.sql(set, [companyId, deleted.id, isWrite(sql) ? null : new Date()]);
    };
    const { status, body } = await waitingFor(lose, call('recoverResourceHubFile'));
    expect([status, body.code, lost, await activities()]).toEqual([503, 'SERVICE_UNAVAILABLE', 10, 0]);
  });
});

/** A database that gives up soon what another transaction has locked. */
function impatientWorld() {
  const timeouts = { connect: 10_000, statement: 10_000, response: 10_000, lock: 200, idleTransaction: 10_000 };
  const impatient = new World(
    openModels({ url: world.url, poolSize: 2, preparedStatements: true, timeouts }),
    world.url,
  );
  onTestFinished(() => impatient.close());
  return impatient;
}

test.skipIf(usesPgbouncer)(
  'a change that waits for a locked record in vain says so on both surfaces, and changes nothing',
  async () => {
    const { goal, activities, token } = await setting();
    const impatient = impatientWorld();
    await world.holding('SELECT FROM goals WHERE id = $1 FOR UPDATE', [goal.id]);
    const byRest = await impatient.post(restPaths.reopenGoal, token, { id: goal.id });
    const byGraphql = await impatient.graphql(
      token,
      `mutation { reopenGoal(input: { id: "${goal.id}" }) { goal { id } } }`,
    );
    const detail = 'Another transaction has locked a record for too long. Try again in 5 seconds.';
    expect([byRest.status, byRest.body.code, byRest.body.detail]).toEqual([503, 'SERVICE_UNAVAILABLE', detail]);
    expect([byGraphql.status, byGraphql.body.errors[0].message]).toEqual([503, detail]);
    expect(await activities()).toBe(0);
  },
);

test('several changes lock their records by kind, whatever their order: what comes later is free while one waits', async () => {
  const { company, caller, space } = await world.team();
  const edited = { companyLevel: 0, spaceLevel: 70 };
  const goal = await world.closedGoal(space, edited);
  const file = await world.file(await world.hub(company, { goalId: goal.id }), caller);
  const { release } = await world.holding('SELECT FROM resource_hub_files WHERE id = $1 FOR UPDATE', [file.id]);
  const answer = world.graphql(
    caller.token,
    `mutation { reopenGoal(input: { id: "${goal.id}" }) { goal { id } } deleteResourceHubFile(input: { fileId: "${file.id}" }) { file { id } } }`,
  );
  await world.untilOneWaits();
  await (await world.holding('SELECT FROM goals WHERE id = $1 FOR UPDATE NOWAIT', [goal.id])).release();
  await release();
  expect((await answer).body.errors).toBe(undefined);
});

test.skipIf(usesPgbouncer)('several changes wait for no record that they do not change', async () => {
  const { company, caller, space, hub } = await world.teamWithHub('space', { companyLevel: 0 });
  const viewed = { companyLevel: 0, spaceLevel: 10 };
  const seen = await world.hub(company, { goalId: (await world.goal(space, viewed)).id });
  const author = await world.person(company);
  const records = async (at: typeof hub) => ({
    goal: await world.closedGoal(space, at === seen ? viewed : { companyLevel: 0 }),
    file: await world.file(at, caller),
    document: await world.document(at, caller),
  });
  const [mine, others, unnamed] = [await records(hub), await records(seen), await records(hub)];
  const draft = await world.draft(hub, author);
  const deleted = await world.document(hub, caller);
  await world.sql('UPDATE resource_hub_documents SET deleted_at = now() WHERE id = $1', [deleted.id]);
  const held = [...Object.values(others), ...Object.values(unnamed), draft, deleted].map(({ id }) => id);
  for (const table of ['goals', 'resource_hub_files', 'resource_hub_documents'])
    await world.holding(`SELECT FROM ${table} WHERE id = ANY($1) FOR UPDATE`, [held]);
  const restore = (id: string) =>
    `restoreDocumentVersion(input: { documentId: "${id}", versionNumber: 1, expectedCurrentVersion: 3 }) { document { id } }`;
  const changes = ({ goal, file, document }: typeof mine) => [
    `reopenGoal(input: { id: "${goal.id}" }) { goal { id } }`,
    `deleteResourceHubFile(input: { fileId: "${file.id}" }) { file { id } }`,
    restore(document.id),
  ];
  const impatient = impatientWorld();
  const code = async (fields: string[]) => {
    const document = `mutation { ${fields.map((field, index) => `f${index}: ${field}`).join(' ')} }`;
    return (await impatient.graphql(caller.token, document)).body.errors?.[0].extensions.code;
  };
  for (const field of [...changes(others), restore(draft.id), restore(deleted.id)])
    expect([field, await code([field, ...changes(mine)])]).toEqual([
      field,
      expect.stringMatching(/^(FORBIDDEN|NOT_FOUND)$/),
    ]);
  expect(await code(changes(mine))).toBe(undefined);
});

describe('a change that cannot be read back', () => {
  test.skipIf(usesPgbouncer)('is undone: both go in one message', async () => {
    const { goal, document, activities, token, call } = await setting();
    const impatient = impatientWorld();
    const input = { document_id: document.id, version_number: 1, expected_current_version: 3 };
    const changes = () =>
      Promise.all([
        impatient.post(restPaths.reopenGoal, token, { id: goal.id }),
        impatient.post(restPaths.reopenGoal, token, { id: goal.id }, { 'idempotency-key': 'once' }),
        impatient.post(restPaths.restoreDocumentVersion, token, input),
      ]);
    const { release } = await world.holding('LOCK TABLE goal_checks, reactions');
    for (const { status, body } of await changes()) expect([status, body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(await activities()).toBe(0);
    await release();
    for (const { status } of await changes()) expect(status).toBe(200);
    expect((await call('reopenGoal')()).status).toBe(200);
    expect(await activities()).toBe(2);
  });

  // PgBouncer has processes of its own, and tells clients no other.
  test.skipIf(usesPgbouncer).each(['reopenGoal', 'deleteResourceHubFile', 'recoverResourceHubFile'])(
    '%s is said to be made if its activity cannot be read once it is committed',
    async (name) => {
      const { companyId, goal, file, deleted, token } = await setting();
      const id = { reopenGoal: goal.id, deleteResourceHubFile: file.id, recoverResourceHubFile: deleted.id }[name];
      const argument = name === 'reopenGoal' ? 'id' : 'fileId';
      let isWriting = false;
      let isWritten = false;
      let isBreaking = false;
      const breakAfterWrite = (sql: string, processId: number) => {
        if (isWritten && !isBreaking) {
          isBreaking = true;
          return world.sql(`DO $$ BEGIN PERFORM pg_terminate_backend(${processId}, 5000); END $$`).finally(() => {
            isBreaking = false;
          });
        }
        // The write is committed with what goes in its round trip.
        isWriting ||= isWrite(sql);
        isWritten ||= isWriting && sql === 'END';
        return undefined;
      };
      const { status, body } = await waitingFor(breakAfterWrite, () =>
        world.graphql(token, `mutation { ${name}(input: { ${argument}: "${id}" }) { activity { id } } }`),
      );
      isWritten = false;
      const [activity] = await world.sql('SELECT id FROM activities WHERE company_id = $1', [companyId]);
      expect([status, body.data]).toEqual([500, null]);
      expect(body.errors).toMatchObject([
        { extensions: { code: 'INTERNAL_SERVER_ERROR', changed: true, activityId: activity?.id } },
      ]);
    },
  );
});

test('a change that waits for its record is made by a caller whose token is revoked meanwhile, and no later one is', async () => {
  const { caller, space } = await world.team();
  const [first, second] = [await world.closedGoal(space), await world.closedGoal(space)];
  const { release } = await world.holding('SELECT FROM goals WHERE id = $1 FOR UPDATE', [first.id]);
  const answer = world.post(restPaths.reopenGoal, caller.token, { id: first.id });
  await world.untilOneWaits();
  await world.sql('UPDATE api_tokens SET revoked_at = now() WHERE person_id = $1', [caller.id]);
  await release();
  expect((await answer).status).toBe(200);
  expect((await world.post(restPaths.reopenGoal, caller.token, { id: second.id })).status).toBe(401);
});
