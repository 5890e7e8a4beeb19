import { describe, expect, test } from 'vitest';
import { statementsOf } from '../support/statements.js';
import { perform } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const hidden = { companyLevel: 0, spaceLevel: 0 };

async function setting() {
  const team = await world.team();
  const owner = await world.person(team.company, { isOwner: true });
  const hub = await world.hub(team.company, { spaceId: team.space.id });
  return { ...team, owner, hub };
}

const ask = async (token: string, query: string, id: string): Promise<Json> =>
  (await world.graphql(token, `query ($id: ID!) { ${query} }`, { id })).body;

/** An answer without the parts that differ between any two requests. */
const likeFor = (body: Json, id: string): Json =>
  JSON.parse(
    JSON.stringify(body)
      .replaceAll(JSON.stringify(JSON.stringify(id)).slice(1, -1), 'ID')
      .replace(/"request_?id":"[^"]*"/i, '"requestId":"…"'),
  );

describe('a draft', () => {
  test('is null in a notification of anyone else, as is what was said about it', async () => {
    const { caller, owner, hub } = await setting();
    const draft = await world.draft(hub, caller);
    const { id } = await world.activity(caller, {
      action: 'resource_hub_document_edited',
      documentId: draft.id,
      notifications: { create: [caller, owner].map((person) => ({ personId: person.id })) },
      thread: { create: { message: 'Not yet.' } },
    });
    const inbox =
      'viewer { notifications { nodes { activity { id name message subject { ... on ResourceHubDocument { id } } } } } }';
    const look = async ({ token }: { token: string }) =>
      (await world.graphql(token, `{ ${inbox} }`)).body.data.viewer.notifications.nodes;
    expect(await look(caller)).toEqual([
      { activity: { id, name: 'Name', message: 'Not yet.', subject: { id: draft.id } } },
    ]);
    expect(await look(owner)).toEqual([{ activity: { id, name: null, message: null, subject: null } }]);
  });

  test('counts in its folder for its author only, as deleted things count for nobody', async () => {
    const { caller, owner, hub } = await setting();
    const folder = await world.folder(hub);
    const inside = { parentFolderId: folder.id };
    const file = await world.file(hub, caller, inside);
    await world.file(hub, caller, { ...inside, deletedAt: new Date() });
    await world.document(hub, caller, ['one'], inside);
    await world.document(hub, caller, ['one'], { ...inside, deletedAt: new Date() });
    await world.folder(hub, folder.id);
    for (const deletedAt of [null, new Date()]) await world.draft(hub, caller, { ...inside, deletedAt });
    const count = async (token: string) =>
      (await ask(token, 'resourceHubFile(id: $id) { parentFolder { childrenCount } }', file.id)).data.resourceHubFile;
    expect(await count(caller.token)).toEqual({ parentFolder: { childrenCount: 4 } });
    expect(await count(owner.token)).toEqual({ parentFolder: { childrenCount: 3 } });
  });
});

describe('what is of another company, invisible, deleted or unknown cannot be told apart', () => {
  const fields = ['goal', 'resourceHubFile', 'resourceHubDocument'] as const;

  /** Ids of one kind that must look unknown to the caller. */
  async function secrets(field: (typeof fields)[number]) {
    const make = async (at: Awaited<ReturnType<typeof setting>>, levels: Json, deleted: Json = {}) => {
      const goal = await world.closedGoal(at.space, levels);
      const hub = await world.hub(at.company, { goalId: goal.id });
      if (field === 'goal') return goal.id;
      return (
        field === 'resourceHubFile'
          ? await world.file(hub, at.caller, deleted)
          : await world.document(hub, at.caller, undefined, deleted)
      ).id;
    };
    const here = await setting();
    const ids = {
      unknown: 'nobody-knows',
      odd: '"}\\n<script>',
      foreign: await make(await setting(), { publicLevel: 100 }),
      invisible: await make(here, hidden),
      ...(field !== 'goal' && { deleted: await make(here, {}, { deletedAt: new Date() }) }),
    };
    return { caller: here.caller, ids: Object.entries(ids) };
  }

  test.each(fields)('in the query %s: same status, same body, as many statements', async (field) => {
    const { caller, ids } = await secrets(field);
    const query = `query ($id: ID!) { ${field}(id: $id) { id } }`;
    const answers = [];
    for (const [kind, id] of [['warm-up', 'nobody'] as const, ...ids]) {
      const { statements, result } = await statementsOf(() => world.graphql(caller.token, query, { id }));
      const { status, body } = result;
      if (kind !== 'warm-up') answers.push({ status, body: likeFor(body, id), statements: statements.length });
    }
    expect(answers[0]?.body.errors[0]).toMatchObject({
      message: expect.stringContaining('ID'),
      extensions: { code: 'NOT_FOUND' },
    });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });
});

test('public access marks a resource and gives nobody access; below view it is 404, below edit 403', async () => {
  const { company, space } = await world.team();
  const stranger = await world.person(company);
  const goal = await world.closedGoal(space, { publicLevel: 100, companyLevel: 0, spaceLevel: 0 });
  const attempt = () => perform(world, 'REST', 'reopenGoal', stranger.token, { id: goal.id });
  const look = async () => (await ask(stranger.token, 'goal(id: $id) { id }', goal.id)).data.goal;
  expect(await attempt()).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  expect(await look()).toBeNull();
  for (const level of [10, 40]) {
    await world.db.goal.updateMany({ where: { id: goal.id }, data: { companyLevel: level } });
    expect(await look()).toEqual({ id: goal.id });
    const members = { required_access: 70, your_access: level };
    expect(await attempt()).toMatchObject({ status: 403, code: 'FORBIDDEN', members });
  }
  await world.db.goal.updateMany({ where: { id: goal.id }, data: { companyLevel: 70 } });
  expect(await attempt()).toMatchObject({ status: 200 });
});

test.each([
  [10, ['canView']],
  [40, ['canView', 'canComment', 'canCommentOnFile']],
  [70, ['canView', 'canComment', 'canCommentOnFile', 'canEdit', 'canDeleteFile', 'canEditDocument']],
  [100, ['canView', 'canComment', 'canCommentOnFile', 'canEdit', 'canDeleteFile', 'canEditDocument', 'hasFullAccess']],
])('who has level %i may do what it permits, and no more', async (level, permitted) => {
  const { company, caller, space } = await world.team();
  const reader = await world.person(company);
  const goal = await world.goal(space, { companyLevel: level, spaceLevel: 0 });
  const file = await world.file(await world.hub(company, { goalId: goal.id }), caller);
  const query = `goal(id: $id) { permissions { canView canComment canEdit hasFullAccess } }
    resourceHubFile(id: "${file.id}") { permissions { canView canCommentOnFile canDeleteFile canEditDocument } }`;
  const { data } = await ask(reader.token, query, goal.id);
  const all = Object.entries<boolean>({ ...data.resourceHubFile.permissions, ...data.goal.permissions });
  expect(all.flatMap(([name, may]) => (may ? [name] : [])).sort()).toEqual(permitted.toSorted());
});
