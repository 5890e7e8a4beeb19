import { describe, expect, test } from 'vitest';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();

const query = `query ($id: ID!, $first: Int, $after: String) {
  resourceHub(id: $id) {
    deletedFiles(first: $first, after: $after) {
      totalCount nodes { id name deletedAt deletedBy { id } } pageInfo { hasNextPage endCursor }
    }
  }
}`;

const deletedFiles = async (token: string, id: string, page: Json = {}) =>
  (await world.graphql(token, query, { id, ...page })).body.data.resourceHub.deletedFiles;

async function hubWithDeleted(count: number, levels: Json = {}) {
  const { company, caller, space } = await world.team();
  const goal = await world.goal(space, levels);
  const hub = await world.hub(company, { goalId: goal.id });
  const ids: string[] = [];
  for (let day = 1; day <= count; day += 1) {
    const deletedAt = new Date(Date.UTC(2026, 0, day));
    ids.push((await world.file(hub, caller, { deletedAt, deletedById: caller.id })).id);
  }
  await world.file(hub, caller);
  return { company, caller, hub, ids };
}

describe('the deleted files of a hub', () => {
  test('are listed newest first, with when and by whom, and without those that are not deleted', async () => {
    const { caller, hub, ids } = await hubWithDeleted(3);
    const { nodes, totalCount } = await deletedFiles(caller.token, hub.id);
    expect(totalCount).toBe(3);
    expect(nodes.map(({ id }: Json) => id)).toEqual(ids.reverse());
    expect(nodes[0]).toMatchObject({ deletedAt: '2026-01-03T00:00:00.000Z', deletedBy: { id: caller.id } });
  });

  test.each([10, 40])('are null for a caller at level %i, who cannot delete', async (spaceLevel) => {
    const { caller, hub } = await hubWithDeleted(1, { companyLevel: 0, spaceLevel });
    expect(await deletedFiles(caller.token, hub.id)).toBeNull();
  });
});

describe('the deleted files of all hubs', () => {
  const everywhere = `query ($text: String, $first: Int, $after: String) {
    deletedFiles(text: $text, first: $first, after: $after) { totalCount nodes { id name } pageInfo { endCursor } }
  }`;
  const found = async (token: string, variables: Json = {}) =>
    (await world.graphql(token, everywhere, variables)).body.data.deletedFiles;

  test('are those that the caller may recover, newest first, by name, page by page', async () => {
    const { company, caller, hub } = await hubWithDeleted(0);
    const { id: other } = await world.hub(company, { spaceId: (await world.space(company, [caller])).id });
    const closed = await world.space(company, [caller], { companyLevel: 40, spaceLevel: 40 });
    const visible = await world.hub(company, { spaceId: closed.id });
    const deleted = async (at: { id: string }, name: string, day: number) =>
      (
        await world.file({ ...company, ...at }, caller, {
          name,
          filename: `${day}.bin`,
          deletedAt: new Date(Date.UTC(2026, 0, day)),
        })
      ).id;
    const [plan, photo, plans] = [
      await deleted(hub, 'Plan.pdf', 2),
      await deleted({ id: other }, 'Photo.png', 3),
      await deleted({ id: other }, 'plans.txt', 4),
    ];
    await deleted(visible, 'Plan of others.pdf', 5);
    await world.file(hub, caller, { name: 'Plan that is there' });
    const { totalCount, nodes, pageInfo } = await found(caller.readOnlyToken, { first: 2 });
    expect({ totalCount, ids: nodes.map(({ id }: Json) => id) }).toEqual({ totalCount: 3, ids: [plans, photo] });
    expect((await found(caller.token, { after: pageInfo.endCursor })).nodes).toMatchObject([{ id: plan }]);
    const named = await found(caller.token, { text: 'PLAN' });
    expect(named.nodes.map(({ id }: Json) => id)).toEqual([plans, plan]);
    expect((await found(caller.token, { text: '3.bin' })).nodes).toMatchObject([{ id: photo }]);
    await world.sql("UPDATE resource_hubs SET name = 'Handbook' WHERE id = $1", [hub.id]);
    expect((await found(caller.token, { text: 'handbook plan' })).nodes).toMatchObject([{ id: plan }]);
    expect((await found((await world.team()).caller.token, { text: 'plan' })).nodes).toEqual([]);
  });

  test('are not those that an import has removed', async () => {
    const { caller, ids } = await hubWithDeleted(2);
    await world.sql('UPDATE resource_hub_files SET removed_at = now() WHERE id = $1', [ids[0]]);
    expect((await found(caller.token)).nodes).toMatchObject([{ id: ids[1] }]);
  });
});
