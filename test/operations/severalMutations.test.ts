import { describe, expect, test } from 'vitest';
import { statementsOf } from '../support/statements.js';
import { createWorld, type Json, type World } from '../support/world.js';

const world = await createWorld();
const { db } = world;

/** A document with three versions, a file and a closed goal, all of one caller, and what has happened to them. */
async function setting() {
  const { caller, space, hub } = await world.teamWithHub('space');
  const document = await world.document(hub, caller);
  const file = await world.file(hub, caller);
  const goal = await world.closedGoal(space);
  const effects = async () => ({
    versions: await db.documentVersion.count({ where: { documentId: document.id } }),
    deleted: await db.resourceHubFile.count({ where: { id: file.id, NOT: { deletedAt: null } } }),
    open: await db.goal.count({ where: { id: goal.id, closedAt: null } }),
    activities: await db.activity.count({
      where: { OR: [{ documentId: document.id }, { fileId: file.id }, { goalId: goal.id }] },
    }),
    threads: await db.commentThread.count({ where: { activity: { goalId: goal.id } } }),
  });
  return { caller, document, file, goal, effects };
}

const untouched = { versions: 3, deleted: 0, open: 0, activities: 0, threads: 0 };

const restore = (id: string, versionNumber: number, expected: number) =>
  `restoreDocumentVersion(input: { documentId: "${id}", versionNumber: ${versionNumber}, expectedCurrentVersion: ${expected} }) { document { id currentVersion } }`;
const remove = (id: string) => `deleteResourceHubFile(input: { fileId: "${id}" }) { file { id name } }`;
const recover = (id: string) => `recoverResourceHubFile(input: { fileId: "${id}" }) { file { id } }`;
const reopen = (id: string) => `reopenGoal(input: { id: "${id}", message: "Again" }) { goal { id isClosed } }`;

const run = (token: string, fields: string[], at: World = world) =>
  at.graphql(token, `mutation { ${fields.map((field, index) => `f${index}: ${field}`).join(' ')} }`);

const codes = (body: Json) => body.errors?.map(({ extensions }: Json) => extensions.code);

describe('a mutation field whose answer takes arguments', () => {
  test('changes nothing when a condition in it is null, which a default value allows', async () => {
    const { caller, document, effects } = await setting();
    const fields = `document { ...Kept } } } fragment Kept on ResourceHubDocument { id @include(if: $kept) }`;
    const query = `mutation ($kept: Boolean = true) { ${restore(document.id, 1, 3).replace(/document \{.*/, fields)}`;
    for (const [type, expected] of [
      ['application/json', 200],
      ['application/graphql-response+json', 400],
    ] as const) {
      const { status, body } = await world.graphql(caller.token, query, { kept: null }, { accept: type });
      expect([status, body.data, codes(body)]).toEqual([expected, undefined, ['BAD_REQUEST']]);
      expect(body.errors[0].message).toContain('must not be null');
      expect(await effects()).toEqual(untouched);
    }
    expect((await world.graphql(caller.token, query, {})).status).toBe(200);
    expect((await effects()).versions).toBe(4);
  });
});

describe('several mutation fields in one request', () => {
  test('all happen, in order, each seeing the ones before it', async () => {
    const { caller, document, file, goal, effects } = await setting();
    const { status, body } = await run(caller.token, [
      restore(document.id, 1, 3),
      restore(document.id, 2, 4),
      remove(file.id),
      reopen(goal.id),
    ]);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(body.data.f1.document.currentVersion).toBe(5);
    expect(await effects()).toEqual({ versions: 5, deleted: 1, open: 1, activities: 4, threads: 1 });
  });

  test('count what is in a folder after each of them', async () => {
    const { caller, hub } = await world.teamWithHub('space');
    const folder = await world.folder(hub);
    const files = [1, 2].map(() => world.file(hub, caller, { parentFolderId: folder.id }));
    const [{ id }] = (await Promise.all(files)) as [{ id: string }, unknown];
    const counting = (field: string) =>
      `${field}(input: { fileId: "${id}" }) { file { parentFolder { childrenCount } } }`;
    const { body } = await run(caller.token, [counting('deleteResourceHubFile'), counting('recoverResourceHubFile')]);
    const counts = Object.values<Json>(body.data).map(({ file }) => file.parentFolder.childrenCount);
    expect(counts).toEqual([1, 2]);
  });

  test('leave nothing behind when a later one fails', async () => {
    const { caller, document, file, goal, effects } = await setting();
    const again = restore(document.id, 1, 3);
    const { status, body } = await run(caller.token, [reopen(goal.id), remove(file.id), again, again]);
    expect([status, body.data, codes(body)]).toEqual([409, null, ['VERSION_CONFLICT']]);
    expect(body.errors[0].path).toEqual(['f3']);
    expect(await effects()).toEqual(untouched);
  });

  test('through two gateways at once are still all or none: one request wins, the others leave nothing', async () => {
    const { caller, document, file, goal, effects } = await setting();
    const twin = world.twin();
    const fields = [reopen(goal.id), restore(document.id, 1, 3), remove(file.id)];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => run(caller.token, fields, index % 2 ? world : twin)),
    );
    const statuses = answers.map(({ status, body }) => [status, ...(codes(body) ?? [])].join(' ')).sort();
    expect(statuses).toEqual(['200', ...Array.from({ length: 11 }, () => '409 VERSION_CONFLICT')]);
    expect(answers.filter(({ status, body }) => status !== 200 && body.data !== null)).toEqual([]);
    expect(await effects()).toEqual({ versions: 4, deleted: 1, open: 1, activities: 3, threads: 1 });
  });

  test.each([
    ['with a key', { 'idempotency-key': 'failing' }],
    ['without a key', {}],
  ])('are not made if a statement of the answer fails, %s', async (_, headers) => {
    const { company, caller, space } = await world.team();
    const parent = await world.goal(space);
    const goal = await world.closedGoal(space, { parentGoalId: parent.id });
    const gateway = `"${new URL(world.url).username}"`;
    await world.sql(`REVOKE SELECT ON activities FROM ${gateway}; GRANT SELECT (id) ON activities TO ${gateway}`);
    try {
      const fields = 'goal { isClosed parentGoal { activities(first: 2) { nodes { id } } } }';
      const others = 'idempotency-key' in headers ? '' : 'reopenGoal(input: {}) { goal { id } }';
      const { status } = await world.graphql(
        caller.token,
        `mutation { one: reopenGoal(input: { id: "${goal.id}" }) { ${fields} } ${others} }`,
        {},
        headers,
      );
      expect(status).toBe(500);
    } finally {
      await world.sql(`GRANT SELECT ON activities TO ${gateway}`);
    }
    const where = { companyId: company.companyId, id: goal.id };
    expect(await world.db.goal.findFirst({ where })).toMatchObject({
      success: true,
      closedAt: expect.any(Date),
    });
    expect(await world.db.activity.count({ where: { goalId: goal.id } })).toBe(0);
  });

  test('of sixteen clients over the same records in opposite orders all finish, each in its order', async () => {
    const { caller, space, hub } = await world.teamWithHub('space');
    const [goals, documents, files] = [
      await Promise.all([1, 2, 3].map(() => world.closedGoal(space))),
      await Promise.all([1, 2].map(() => world.document(hub, caller))),
      await Promise.all([1, 2].map(() => world.file(hub, caller, { deletedAt: new Date() }))),
    ];
    const fields = [
      ...goals.map(({ id }) => reopen(id)),
      ...documents.map(({ id }) => restore(id, 3, 3)),
      ...files.map(({ id }) => recover(id)),
    ];
    const twin = world.twin();
    const logs = [world.log, twin.log];
    const before = logs.map(({ length }) => length);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => {
        const turned = [...fields.slice(index % 7), ...fields.slice(0, index % 7)];
        return run(caller.token, index % 2 ? turned.toReversed() : turned, index % 3 ? world : twin);
      }),
    );
    expect(answers.map(({ status, body }) => [status, codes(body)])).toEqual(answers.map(() => [200, undefined]));
    // A serializable transaction that had to wait loses, whatever the order.
    const repeated = logs.flatMap((log, index) => log.slice(before[index]).filter(({ repetitions }) => repetitions));
    if (!process.env.TEST_ISOLATION) expect(repeated).toEqual([]);
    const reopened = { action: 'goal_reopened' as const, goalId: { in: goals.map(({ id }) => id) } };
    expect(await db.activity.count({ where: reopened })).toBe(goals.length);
  });

  test.each(['hidden', 'only visible'])(
    'do not wait for records that are %s to the caller, and hold none',
    async (which) => {
      const { company, space } = await world.team();
      const stranger = await world.person(company);
      const levels = { companyLevel: which === 'hidden' ? 0 : 10 };
      const goals = [await world.closedGoal(space, levels), await world.closedGoal(space, levels)];
      const fields = goals.map(({ id }) => reopen(id));
      const lock = `SELECT FROM goals WHERE id = ANY($1) FOR UPDATE`;
      await world.holding(lock, [goals.map(({ id }) => id)]);
      const { status } = await run(stranger.token, fields);
      expect(status).toBe(which === 'hidden' ? 404 : 403);
    },
  );

  test('cost three more SQL statements than apart: begin, lock and commit', async () => {
    const apart = await setting();
    await world.graphql(apart.caller.token, '{ viewer { person { id } } }');
    const { statements: first } = await statementsOf(() => run(apart.caller.token, [reopen(apart.goal.id)]));
    const { statements: second } = await statementsOf(() => run(apart.caller.token, [remove(apart.file.id)]));
    const together = await setting();
    await world.graphql(together.caller.token, '{ viewer { person { id } } }');
    const { statements } = await statementsOf(() =>
      run(together.caller.token, [reopen(together.goal.id), remove(together.file.id)]),
    );
    const token = 1;
    expect(statements).toHaveLength(first.length + second.length - token + 3);
  });
});
