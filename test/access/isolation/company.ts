import { createToken } from '../../../src/tokens.js';
import { filledDocument, filledFile, filledGoal } from '../../support/filled.js';
import { perform } from '../../support/surfaces.js';
import type { Json, World } from '../../support/world.js';

/** Who gets access to a record without a grant of their own, as levels. */
const audiences = {
  private: { companyLevel: 0, spaceLevel: 0 },
  company: { companyLevel: 40, spaceLevel: 0 },
  members: { companyLevel: 0, spaceLevel: 70 },
} as const;

export type Audience = keyof typeof audiences;

const names: Audience[] = ['private', 'company', 'members'];
const after = (audience: Audience, steps: number): Audience => names[(names.indexOf(audience) + steps) % 3] as Audience;

/** The personal grants that a caller has everywhere; a guest only has one on what is private. */
const grants = { view: 10, comment: 40, edit: 70, full: 100, guest: 40 } as const;

export type People = Awaited<ReturnType<typeof hire>>;

async function hire(world: World, company: { companyId: string }, owner: { id: string }) {
  await world.sql('UPDATE people SET is_owner = true WHERE id = $1', [owner.id]);
  const person = (data: Json = {}) => world.person(company, { avatarUrl: 'https://cdn.example.com/p.png', ...data });
  const people = {
    none: await person(),
    view: await person(),
    comment: await person(),
    edit: await person(),
    full: await person(),
    member: await person(),
    guest: await person({ type: 'guest' }),
    guestOfSpaces: await person({ type: 'guest' }),
    champion: await person({ type: 'guest' }),
    reviewer: await person({ type: 'guest' }),
    suspended: await person({ suspendedAt: new Date('2026-01-01T00:00:00Z') }),
  };
  const { token } = await createToken(world.db, {
    ...company,
    personId: owner.id,
    name: 'owner',
    canWrite: true,
  });
  return { ...people, owner: { ...owner, token } };
}

/** A company in which every text column is filled, with records of each audience linked to records of the others. */
export async function furnish(world: World) {
  const made = await filledGoal(world, 2);
  const filled = {
    files: await filledFile(world, made, 'goal'),
    documents: await filledDocument(world, made, 'project'),
    goals: made.goal,
  };
  const { company } = made;
  const people = await hire(world, company, made.caller);
  const everyone = Object.values(people);

  const spaces = {} as Record<Audience, Json>;
  for (const name of names)
    spaces[name] = await world.space(company, [people.member, people.guestOfSpaces], { mission: 'Sell' });
  const goals: Json[] = [];
  const add = async (audience: Audience, state: string, make: Promise<Json>) => {
    const goal = { ...(await make), audience, state };
    goals.push(goal);
    return goal;
  };
  const open = {} as Record<Audience, Json>;
  for (const name of names) open[name] = await add(name, 'open', world.goal(spaces[after(name, 1)]));
  const closed = {} as Record<Audience, Json>;
  for (const name of names) {
    const space = spaces[after(name, 1)];
    closed[name] = await add(name, 'closed', world.closedGoal(space, { parentGoalId: open[after(name, 1)].id }));
    const parentGoalId = open[after(name, 2)].id;
    await add(name, 'archived', world.closedGoal(space, { parentGoalId, archivedAt: new Date('2026-05-02') }));
    const reopened = await add(name, 'reopened', world.closedGoal(space, { parentGoalId: open[name].id }));
    const input = { id: reopened.id, message: 'Again', subscriberIds: everyone.map(({ id }) => id) };
    await perform(world, 'REST', 'reopenGoal', people.owner.token, input);
  }
  const projects: Json[] = [];
  for (const name of names) {
    for (const of of names) {
      const data = { goalId: closed[of].id, description: 'How' };
      projects.push({ ...(await world.project(spaces[after(of, 2)], data)), audience: name });
    }
  }
  const hubs: Json[] = [];
  for (const name of names) {
    const projectId = projects.find(
      ({ audience, goalId }) => audience === name && goalId === closed[after(name, 1)].id,
    ).id;
    for (const on of [{ spaceId: spaces[name].id }, { goalId: closed[name].id }, { projectId }]) {
      hubs.push({ ...(await fillHub(world, people, await world.hub(company, on))), audience: name });
    }
  }
  const removed = await removedRecords(world, people, { space: spaces.company, goal: open.company });
  for (const person of Object.keys(grants) as (keyof typeof grants)[]) {
    for (const name of person === 'guest' ? (['private'] as const) : names) {
      const give = (on: Parameters<World['grant']>[3]) => world.grant(company, people[person], grants[person], on);
      await give({ spaceId: spaces[name].id });
      for (const { id, audience } of goals) if (audience === name) await give({ goalId: id });
      for (const { id, audience } of projects) if (audience === name) await give({ projectId: id });
    }
    await world.grant(company, people[person], grants[person], { spaceId: removed.space.id });
    await world.grant(company, people[person], grants[person], { goalId: removed.goal.id });
    await world.grant(company, people[person], grants[person], { projectId: removed.project.id });
  }
  // Only now: what happened above was still allowed to concern everyone.
  const set = async (table: string, id: string, audience: Audience) => {
    const { companyLevel, spaceLevel } = audiences[audience];
    await world.sql(`UPDATE ${table} SET company_level = $2, space_level = $3 WHERE id = $1`, [
      id,
      companyLevel,
      spaceLevel,
    ]);
  };
  for (const name of names) await set('spaces', spaces[name].id, name);
  for (const { id, audience } of goals) await set('goals', id, audience);
  for (const { id, audience } of projects) await set('projects', id, audience);
  // These are open to the company and to their space.
  for (const { id, audience, state } of goals)
    if (audience === 'company' && state === 'archived')
      await world.sql('UPDATE goals SET space_level = 70 WHERE id = $1', [id]);
  // The champion and the reviewer see what is private, and would see what is removed.
  for (const [table, records] of Object.entries({
    goals: [...goals, removed.goal],
    projects: [...projects, removed.project],
  }))
    for (const { id, audience = 'private' } of records)
      if (audience === 'private')
        await world.sql(`UPDATE ${table} SET champion_id = $2, reviewer_id = $3 WHERE id = $1`, [
          id,
          people.champion.id,
          people.reviewer.id,
        ]);
  for (const [table, ids] of Object.entries(removed.ids))
    await world.sql(
      `UPDATE ${table} SET removed_at = now()${isDeletable(table) ? ', deleted_at = now()' : ''} WHERE id = ANY($1)`,
      [ids],
    );
  await world.sql(
    `INSERT INTO activities (company_id, id, action, author_id, file_id, name)
     SELECT company_id, id || '-created', 'resource_hub_file_created', author_id, id, name FROM resource_hub_files WHERE company_id = $1`,
    [company.companyId],
  );
  await world.sql(
    `WITH webhook AS (INSERT INTO webhooks (company_id, slot, url) VALUES ($1, 1, 'https://example.com/') RETURNING company_id, id)
     INSERT INTO webhook_attempts (company_id, webhook_id, event_id, type, attempt, outcome, milliseconds, reason, response)
     SELECT company_id, id, 'e', 'ping', 1, 'failed', 1, 'reset', 'no' FROM webhook`,
    [company.companyId],
  );
  while ((await world.numberEvents(company.companyId)).hasMore);
  return { ...company, people, filled, spaces, goals, projects, hubs, removed };
}

export type Company = Awaited<ReturnType<typeof furnish>>;

/**
 * What an import will remove: a record of each kind that is open to everybody, beside and beneath records that stay, and
 * hubs of which only the hub itself is marked.
 */
async function removedRecords(world: World, people: People, { space, goal: parent }: Record<'space' | 'goal', Json>) {
  const { companyId } = space;
  const gone = await world.space(space, Object.values(people));
  const goal = await world.closedGoal(space, { parentGoalId: parent.id });
  const project = await world.project(space, { goalId: parent.id });
  const hub = (on: Parameters<World['hub']>[1]) => world.hub({ companyId }, on);
  const hubs = await Promise.all(
    [
      { spaceId: gone.id },
      { goalId: goal.id },
      { projectId: project.id },
      { spaceId: space.id },
      { goalId: parent.id },
    ].map(hub),
  );
  const [first, ...others] = hubs;
  const filled = await fillHub(world, people, first);
  const stays = await hub({ spaceId: space.id });
  const file = await world.file(stays, people.owner);
  const document = await world.document(stays, people.owner);
  for (const subject of [{ goalId: goal.id }, { fileId: file.id }, { documentId: document.id }])
    await world.activity({ companyId, ...people.owner }, { name: 'Gone', action: actionOf(subject), ...subject });
  return {
    space: gone,
    goal,
    project,
    hub: filled,
    others,
    file,
    document,
    ids: {
      spaces: [gone.id],
      goals: [goal.id],
      projects: [project.id],
      resource_hubs: hubs.map(({ id }) => id),
      resource_hub_files: [file.id],
      resource_hub_documents: [document.id],
    },
  };
}

const isDeletable = (table: string) => ['resource_hub_files', 'resource_hub_documents'].includes(table);

const actionOf = (subject: { goalId?: string; fileId?: string }) =>
  subject.goalId ? 'goal_created' : subject.fileId ? 'resource_hub_file_created' : 'resource_hub_document_created';

/** Every kind of thing in a hub, in each state, at its root and in a folder. */
async function fillHub(world: World, { owner, edit, member, view }: People, hub: Json) {
  const folder = await world.folder(hub);
  const inside = { parentFolderId: folder.id };
  const file = await world.file(hub, owner);
  const deleted = await world.file(hub, edit, inside);
  await world.subscribe({ companyId: deleted.companyId, fileId: deleted.id }, [member, view], true);
  await perform(world, 'REST', 'deleteResourceHubFile', owner.token, { fileId: deleted.id });
  const recovered = await world.file(hub, edit, { ...inside, deletedAt: new Date(), deletedById: owner.id });
  await perform(world, 'REST', 'recoverResourceHubFile', owner.token, { fileId: recovered.id });
  const {
    companyId,
    id: undoesId,
    fileId,
    authorId,
    name,
  } = await world.db.activity.findFirstOrThrow({
    where: { companyId: hub.companyId, fileId: recovered.id },
  });
  await world.db.activity.create({
    data: { companyId, undoesId, fileId, authorId, name, action: 'resource_hub_file_deleted' },
  });
  const published = await world.document(hub, owner, ['one', 'two', 'three'], { publicToken: `token-${hub.id}` });
  await perform(world, 'REST', 'restoreDocumentVersion', owner.token, {
    documentId: published.id,
    versionNumber: 1,
    expectedCurrentVersion: 3,
  });
  const inFolder = await world.document(hub, edit, ['one'], inside);
  const deletedDocument = await world.document(hub, owner, ['one'], { deletedAt: new Date() });
  const drafts = { ownDraft: await world.draft(hub, edit), draft: await world.draft(hub, owner) };
  const deletedDraft = await world.draft(hub, edit, { deletedAt: new Date() });
  for (const { companyId, id: documentId, authorId, name } of [...Object.values(drafts), deletedDocument])
    await world.db.activity.create({
      data: { companyId, documentId, authorId, name, action: 'resource_hub_document_created' },
    });
  return {
    ...hub,
    folder,
    files: { file, deleted, recovered },
    documents: { published, inFolder, deleted: deletedDocument, deletedDraft, ...drafts },
  };
}
