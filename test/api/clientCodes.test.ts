import { expect, test } from 'vitest';
import { codes } from '../client/codes.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
const archived = await world.closedGoal(space, { archivedAt: world.now });
const url = `${await world.base()}/graphql`;
const mutation = `mutation { reopenGoal(input: { id: "${archived.id}" }) { goal { id } } }`;

test.each(Object.entries(codes))('%s shows the code of a conflict', async (_client, codeOf) => {
  expect(await codeOf(mutation, { url, token: caller.token })).toBe('GOAL_ARCHIVED');
});

test.each(Object.entries(codes))('%s does, if it accepts only application/json', async (_client, codeOf) => {
  expect(await codeOf(mutation, { url, token: caller.token, accept: 'application/json' })).toBe('GOAL_ARCHIVED');
});
