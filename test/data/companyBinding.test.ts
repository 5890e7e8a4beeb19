import { expect, test, vi } from 'vitest';
import { modelClass } from '../../src/database.js';
import { noted, unboundScans } from '../support/companyBinding.js';
import { filledDocument, filledFile, filledGoal } from '../support/filled.js';
import { type Operation, operationsUnderTest } from '../support/operations.js';
import { perform } from '../support/surfaces.js';
import { createWorld } from '../support/world.js';

// Every test file that uses a world ends with this check, for all the statements of its requests.
const world = await createWorld({ isAlone: true });

test('every statement of an operation and of a page binds each table to the company', async () => {
  const byPrisma = vi.spyOn(modelClass.reader, 'client');
  // To which all that a request reads of models is bound.
  const within = vi.spyOn(world.db, 'within');
  const tenants = () => new Set(within.mock.calls.map(([, tenant]) => tenant));
  const made = await filledGoal(world, 2);
  await filledFile(world, made, 'goal');
  await filledDocument(world, made, 'project');
  const { token } = made.caller;
  const answer = await world.graphql(
    token,
    `{ goals(first: 3) { nodes { name parentGoal { name } potentialSubscribers { person { fullName } } } totalCount }
      resourceHubs { nodes { name nodes { nodes { __typename name } } } } spaces { nodes { name isMember } } }`,
  );
  expect(answer.body.errors).toBeUndefined();
  expect(tenants()).toContain(made.company.companyId);
  within.mockClear();
  for (const [operation, { input }] of Object.entries(operationsUnderTest)) {
    const outcome = await perform(world, 'REST', operation as Operation, token, await input(world, made));
    expect(outcome.status).toBe(200);
  }
  expect(tenants()).toEqual(new Set([made.company.companyId]));
  expect(noted.size).toBeGreaterThan(15);
  expect(await unboundScans(world.url, noted)).toEqual([]);
  expect(byPrisma, 'a read that the reader does not know').not.toHaveBeenCalled();
});

test('a statement that forgets the company is found, in a subquery too', async () => {
  const forgetful = [
    'SELECT id FROM goals WHERE id = $1',
    'SELECT id FROM goals g WHERE company_id = $1 AND EXISTS (SELECT FROM projects p WHERE p.goal_id = g.id)',
    'SELECT m.person_id FROM spaces s JOIN space_members m ON m.space_id = s.id WHERE s.company_id = $1',
    'UPDATE notifications SET read_at = now() WHERE id = $1',
  ];
  const found = await unboundScans(world.url, forgetful);
  expect(found.map((problem) => problem.split(' ')[0]).sort()).toEqual([
    'goals',
    'notifications',
    'projects',
    'space_members',
  ]);
});
