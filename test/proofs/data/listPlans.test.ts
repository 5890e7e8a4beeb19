import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { createToken } from '../../../src/tokens.js';
import { asAdministrator } from '../../support/database.js';
import { pathOf } from '../../support/documents.js';
import { type Plan, plansOf } from '../../support/plans.js';
import { query } from '../../support/query.js';
import { type Statement, statementsOf } from '../../support/statements.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();
const tokens: Record<string, string> = {};
const people = ['owner', 'insider', 'member', 'guest', 'guest-member'];

const large = ['goals', 'resource_hubs', 'resource_hub_folders', 'resource_hub_documents', 'resource_hub_files'];
const longer = ['activities', 'notifications', 'access_grants', 'space_members'];

beforeAll(async () => {
  await query(asAdministrator(world.url), readFileSync(pathOf('test/support/largeWorkspace.sql'), 'utf8'));
  for (const personId of people)
    tokens[personId] = (await createToken(world.db, { companyId: 'large', personId, name: 'plans' })).token;
});

/** The plans of every statement of the request: for its values, and as a prepared statement in frequent use. */
async function plans(person: string, document: string): Promise<Plan[]> {
  const { result, statements } = await statementsOf(() => world.graphql(tokens[person] ?? '', document));
  expect(result.body.errors).toBeUndefined();
  const reads = statements.filter(({ text }: Statement) => !text.startsWith('UPDATE'));
  const found = await plansOf(world.url, reads);
  expect(
    found.flatMap(({ sequential }) => sequential).filter((table) => [...large, ...longer].includes(table)),
  ).toEqual([]);
  return found;
}

/** The highest count among the plans. */
const dearest = (found: Plan[], what: 'rows' | 'pages') => Math.max(...found.map((plan) => plan[what]));

const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

describe.each(people)('among 100,000 goals, for the %s,', (person) => {
  test.each([
    ['NAME', cursor('goals.name', 0, 'goal fff', '')],
    ['INSERTED_AT', cursor('goals.insertedAt', 0, '2020-03-10T00:00:00.000Z', '')],
    ['UPDATED_AT', cursor('goals.updatedAt', 0, '2026-03-10T00:00:00.000Z', '')],
  ])('the last page by %s costs no more than the first, and no table is read whole', async (field, after) => {
    const list = (args: string) => `{ goals(first: 20, orderBy: { field: ${field} } ${args}) { nodes { name } } }`;
    const first = await plans(person, list(''));
    const last = await plans(person, list(`after: "${after}"`));
    for (const found of [first, last]) expect(dearest(found, 'rows')).toBeLessThan(1000);
    expect(dearest(last, 'pages')).toBeLessThan(1.2 * dearest(first, 'pages') + 50);
  });

  test.each([
    ['isArchived: true, isClosed: false'],
    ['spaceId: "s5"'],
    ['spaceId: "s5", isClosed: true'],
    ['championId: "p5"'],
    ['text: "Revenue c"'],
  ])('those with %s are found without reading the rest', async (filter) => {
    const found = await plans(person, `{ goals(filter: { ${filter} }) { nodes { name } } }`);
    expect(dearest(found, 'rows')).toBeLessThan(1500);
  });
});

test.each(people)('among 30,000 hubs, for the %s, the last page costs no more than the first', async (person) => {
  const list = (args: string) => `{ resourceHubs(first: 20 ${args}) { nodes { name } } }`;
  const first = await plans(person, list(''));
  const last = await plans(person, list(`after: "${cursor('resourceHubs', 0, 'hub f', '')}"`));
  for (const found of [first, last])
    expect(dearest(found, 'rows')).toBeLessThan(person === 'guest-member' ? 8000 : 1500);
  expect(dearest(last, 'pages')).toBeLessThan(1.2 * dearest(first, 'pages') + 50);
});

test.each(['owner', 'member'])(
  'among 100,000 nodes of a hub, for the %s, every page costs the same',
  async (person) => {
    const list = (args: string) => `{ resourceHub(id: "hub") { nodes(first: 20 ${args}) { nodes { id name } } } }`;
    const pages = [
      '',
      `after: "${cursor('resourceHub.nodes', 0, 'folder ff', '')}"`,
      `after: "${cursor('resourceHub.nodes', 1, 'document ff', '')}"`,
      `after: "${cursor('resourceHub.nodes', 2, 'file ff', '')}"`,
      `before: "${cursor('resourceHub.nodes', 2, 'file ff', '')}"`,
    ];
    for (const page of pages) {
      const found = await plans(person, list(page));
      expect(dearest(found, 'rows')).toBeLessThan(500);
      expect(dearest(found, 'pages')).toBeLessThan(1000);
    }
  },
);

test.each(['owner', 'member'])(
  'among 100,000 nodes of a hub, for the %s, those with a text are found without reading the rest',
  async (person) => {
    const found = await plans(
      person,
      '{ resourceHub(id: "hub") { nodes(filter: { text: "fffe" }) { nodes { id } } } }',
    );
    expect(dearest(found, 'rows')).toBeLessThan(1500);
  },
);

test.each(['owner', 'member'])(
  'those of all hubs with a text are found for the %s without reading the rest',
  async (person) => {
    const found = await plans(person, '{ resourceHubNodes(text: "fffe") { nodes { id } } }');
    expect(dearest(found, 'rows')).toBeLessThan(1500);
  },
);

test('among 100,000 activities of a goal, and as many notifications, every page costs the same', async () => {
  const at = (list: string) => `after: "${cursor(list, 0, '2026-01-02T00:00:00.000Z', '')}"`;
  for (const after of ['', at('goal.activities')]) {
    const document = `{ goal(id: "g000004") { activities(first: 20 ${after}) { nodes { message } } } }`;
    expect(dearest(await plans('owner', document), 'rows')).toBeLessThan(200);
  }
  for (const isRead of ['null', 'true', 'false']) {
    for (const after of ['', at('viewer.notifications')]) {
      const document = `{ viewer { notifications(first: 20, isRead: ${isRead} ${after}) { nodes { activity { action } } } } }`;
      expect(dearest(await plans('member', document), 'rows')).toBeLessThan(200);
    }
  }
});
