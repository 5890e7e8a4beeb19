import { describe, expect, test } from 'vitest';
import { perform } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { db } = world;

async function setting(goalData: Json = {}) {
  const team = await world.team();
  const goal = await world.goal(team.space, goalData);
  return { ...team, goal, hub: await world.hub(team.company, { goalId: goal.id }) };
}

type Field = 'goal' | 'resourceHubFile' | 'resourceHubDocument';

async function look(token: string, field: Field, id: string, selection: string): Promise<Json> {
  const { body } = await world.graphql(token, `query ($id: ID!) { ${field}(id: $id) { ${selection} } }`, { id });
  expect(body.errors).toBeUndefined();
  return body.data[field];
}

describe('potential subscribers', () => {
  const shown = 'potentialSubscribers { role priority isSubscribed person { fullName } }';
  const as = (fullName: string, role: string | null, isSubscribed = false) => ({
    role,
    priority: role === 'Champion' || role === 'Reviewer',
    isSubscribed,
    person: { fullName },
  });

  async function cast() {
    const { company, caller } = await world.team();
    const person = (fullName: string, title: string | null = 'Engineer') => world.person(company, { fullName, title });
    const [zoe, bea, ann] = [await person('Zoe'), await person('Bea', null), await person('Ann', 'Director')];
    const gone = await world.person(company, { fullName: 'Dana', suspendedAt: new Date() });
    const space = await world.space(company, [gone, zoe, bea, ann]);
    return { company, caller, space, zoe, bea, ann, gone, cleo: await person('Cleo') };
  }

  test('of a goal are champion, reviewer and the members of its space, each once', async () => {
    const { caller, space, zoe, ann, gone, cleo } = await cast();
    const goal = await world.goal(space, { championId: zoe.id, reviewerId: cleo.id });
    expect(await look(caller.token, 'goal', goal.id, shown)).toEqual({
      potentialSubscribers: [as('Zoe', 'Champion'), as('Cleo', 'Reviewer'), as('Ann', 'Director'), as('Bea', null)],
    });
    const both = await world.goal(space, { championId: ann.id, reviewerId: ann.id });
    expect(await look(caller.token, 'goal', both.id, shown)).toEqual({
      potentialSubscribers: [as('Ann', 'Champion'), as('Bea', null), as('Zoe', 'Engineer')],
    });
    const left = await world.goal(await world.space(gone), { championId: gone.id, reviewerId: gone.id });
    expect(await look(caller.token, 'goal', left.id, shown)).toEqual({ potentialSubscribers: [] });
  });

  test('who have one name come in the order of their ids', async () => {
    const { company, caller } = await world.team();
    const ids = ['c', 'a', 'b'].map((letter) => `${letter}-${caller.id}`);
    const members = [];
    for (const id of ids) members.push(await world.person(company, { id, fullName: 'Same' }));
    const goal = await world.goal(await world.space(company, members), {});
    const ofIds = 'potentialSubscribers { person { id } }';
    const { potentialSubscribers } = await look(caller.token, 'goal', goal.id, ofIds);
    expect(potentialSubscribers.map(({ person }: Json) => person.id)).toEqual(ids.toSorted());
  });

  test('of a goal are subscribed as of its latest thread', async () => {
    const { caller, space, zoe, bea, ann } = await cast();
    const goal = await world.goal(space);
    const post = async (month: number, people: Json[]) => {
      const insertedAt = new Date(Date.UTC(2026, month));
      const activity = await world.activity(caller, { action: 'goal_closed', goalId: goal.id, insertedAt });
      const thread = await db.commentThread.create({
        data: { companyId: activity.companyId, activityId: activity.id },
      });
      await world.subscribe({ companyId: thread.companyId, threadId: thread.id }, people);
    };
    await post(3, [ann, { ...bea, canceled: true }]);
    await post(2, [zoe]);
    await world.activity(caller, { action: 'goal_created', goalId: goal.id });
    expect(await look(caller.token, 'goal', goal.id, shown)).toEqual({
      potentialSubscribers: [as('Ann', 'Director', true), as('Bea', null), as('Zoe', 'Engineer')],
    });
  });

  test.each(['space', 'goal', 'project'] as const)(
    'of a file and a document in the hub of a %s follow its own list',
    async (parent) => {
      const { company, caller, space, zoe, bea, cleo } = await cast();
      const roles = { championId: cleo.id };
      const on = {
        space: { spaceId: space.id },
        goal: { goalId: (await world.goal(space, roles)).id },
        project: { projectId: (await world.project(space, roles)).id },
      }[parent];
      const hub = await world.hub(company, on);
      const [file, document] = [await world.file(hub, caller), await world.document(hub, caller)];
      await world.subscribe({ companyId: file.companyId, fileId: file.id }, [zoe, { ...bea, canceled: true }]);
      const potentialSubscribers = [
        ...(parent === 'space' ? [] : [as('Cleo', 'Champion')]),
        as('Ann', 'Director'),
        as('Bea', null),
      ];
      expect(await look(caller.token, 'resourceHubFile', file.id, shown)).toEqual({
        potentialSubscribers: [...potentialSubscribers, as('Zoe', 'Engineer', true)],
      });
      expect(await look(caller.token, 'resourceHubDocument', document.id, shown)).toEqual({
        potentialSubscribers: [...potentialSubscribers, as('Zoe', 'Engineer')],
      });
    },
  );
});

describe('a file', () => {
  test.each([0n, 9_007_199_254_740_991n])('of %i bytes says so', async (size) => {
    const { caller, hub } = await setting();
    const file = await world.file(hub, caller, { size });
    const expected = {
      type: 'application/pdf',
      size: Number(size),
      blob: { size: Number(size), contentType: 'application/pdf' },
    };
    expect(await look(caller.token, 'resourceHubFile', file.id, 'type size blob { size contentType }')).toEqual(
      expected,
    );
    const { data } = await perform(world, 'REST', 'deleteResourceHubFile', caller.token, { fileId: file.id });
    expect(data.file).toMatchObject({ type: 'application/pdf', size: Number(size) });
  });

  test('counts its live comments, and so does a document', async () => {
    const { caller, hub } = await setting();
    const [file, document] = [await world.file(hub, caller), await world.document(hub, caller)];
    const comment = { companyId: caller.companyId, authorId: caller.id, content: 'Nice' };
    const on = (subject: Json) => [
      { ...comment, ...subject },
      { ...comment, ...subject },
      { ...comment, ...subject, deletedAt: new Date() },
    ];
    await db.comment.createMany({ data: [...on({ fileId: file.id }), ...on({ documentId: document.id })] });
    expect(await look(caller.token, 'resourceHubFile', file.id, 'commentsCount')).toEqual({ commentsCount: 2 });
    expect(await look(caller.token, 'resourceHubDocument', document.id, 'commentsCount')).toEqual({ commentsCount: 2 });
  });
});

describe('the path to a file and to a document', () => {
  test('is sixty folders from the root of the hub down', async () => {
    const { caller, hub } = await setting();
    const path: { id: string; name: string }[] = [];
    for (let level = 0; level < 60; level++) path.push(await world.folder(hub, path.at(-1)?.id));
    const inside = { parentFolderId: path.at(-1)?.id ?? null };
    const file = await world.file(hub, caller, inside);
    const document = await world.document(hub, caller, undefined, inside);
    const folders = path.map(({ id, name }, level) => ({
      id,
      name,
      parentFolderId: path[level - 1]?.id ?? null,
      childrenCount: level === 59 ? 2 : 1,
    }));
    const fields = '{ id name parentFolderId childrenCount }';
    const above = `parentFolder ${fields} parentFolderId`;
    const shown = { parentFolder: folders.at(-1), ...inside };
    expect(await look(caller.token, 'resourceHubFile', file.id, `pathToFile ${fields} ${above}`)).toEqual({
      pathToFile: folders,
      ...shown,
    });
    expect(await look(caller.token, 'resourceHubDocument', document.id, `pathToDocument ${fields} ${above}`)).toEqual({
      pathToDocument: folders,
      ...shown,
    });
  });

  test('ends where folders are inside each other, as two writers that do not see each other can leave them', async () => {
    const { caller, hub } = await setting();
    const outer = await world.folder(hub);
    const inner = await world.folder(hub, outer.id);
    const file = await world.file(hub, caller, { parentFolderId: inner.id });
    await world.sql(`BEGIN; SET LOCAL session_replication_role = replica;
      UPDATE resource_hub_folders SET parent_folder_id = '${inner.id}'
      WHERE company_id = '${hub.companyId}' AND id = '${outer.id}'; COMMIT`);
    const { pathToFile } = await look(caller.token, 'resourceHubFile', file.id, 'pathToFile { id }');
    expect(pathToFile).toEqual([{ id: outer.id }, { id: inner.id }]);
  });
});

describe('a document', () => {
  test.each([
    [70, 'shared', true],
    [40, 'shared', false],
    [70, null, false],
  ])('at level %i with the public token %j shows its public URL: %s', async (companyLevel, token, shows) => {
    const { company, caller, hub } = await setting({ companyLevel });
    const publicToken = token && `${token}-${hub.id}`;
    const document = await world.document(hub, caller, undefined, { publicToken, id: `a b/${hub.id}` });
    const reader = await world.person(company);
    expect(await look(reader.token, 'resourceHubDocument', document.id, 'url publicUrl')).toEqual({
      url: `https://work.example.com/documents/a%20b%2F${hub.id}`,
      publicUrl: shows ? `https://work.example.com/public/documents/${publicToken}` : null,
    });
  });

  test('says of its versions which is current and what changed since the one before', async () => {
    const { caller, hub } = await setting();
    const version = (title: string, content: string) => ({ title, content });
    const document = await world.document(hub, caller, [
      version('A', 'x'),
      version('A', 'y'),
      version('B', 'y'),
      version('C', 'z'),
      version('C', 'z'),
    ]);
    const shown =
      'currentVersion versionsCount versions { nodes { versionNumber isCurrent titleChanged contentChanged restoredFromVersionNumber editor { id } } }';
    const row = (versionNumber: number, isCurrent: boolean, titleChanged: boolean, contentChanged: boolean) => ({
      versionNumber,
      isCurrent,
      titleChanged,
      contentChanged,
      restoredFromVersionNumber: null,
      editor: { id: caller.id },
    });
    expect(await look(caller.token, 'resourceHubDocument', document.id, shown)).toEqual({
      currentVersion: 5,
      versionsCount: 5,
      versions: {
        nodes: [
          row(5, true, false, false),
          row(4, false, true, true),
          row(3, false, true, false),
          row(2, false, false, true),
          row(1, false, false, false),
        ],
      },
    });
  });

  test('has each version by its number, and none of other numbers', async () => {
    const { caller, hub } = await setting();
    const document = await world.document(hub, caller, ['one', 'two']);
    const shown =
      'first: version(number: 1) { versionNumber content } second: version(number: 2) { content isCurrent } none: version(number: 3) { id } zero: version(number: 0) { id }';
    expect(await look(caller.token, 'resourceHubDocument', document.id, shown)).toEqual({
      first: { versionNumber: 1, content: 'one' },
      second: { content: 'two', isCurrent: true },
      none: null,
      zero: null,
    });
    const draft = await world.draft(hub, caller);
    expect(await look(caller.token, 'resourceHubDocument', draft.id, 'version(number: 1) { id }')).toEqual({
      version: null,
    });
  });
});

test('a space says whether the caller is a member', async () => {
  const { company, caller, goal } = await setting();
  const outsider = await world.person(company);
  const shown = 'space { isMember isCompanySpace accessLevels { public company space } }';
  const space = { isCompanySpace: false, accessLevels: { public: 0, company: 70, space: 100 } };
  expect(await look(caller.token, 'goal', goal.id, shown)).toEqual({ space: { ...space, isMember: true } });
  expect(await look(outsider.token, 'goal', goal.id, shown)).toEqual({ space: { ...space, isMember: false } });
});
