import { describe, expect, test } from 'vitest';
import { createWorld } from '../support/world.js';

const world = await createWorld();

describe('a document that is in the cache', () => {
  test('is still measured with the variables of each request', async () => {
    const { caller } = await world.team();
    const activities = (inside: string) => `activities(first: $size) { nodes { ${inside} } }`;
    const query = `query ($size: Int) { goals(first: $size) { nodes { ${activities(`subject { ... on Goal { ${activities('id')} } }`)} } } }`;
    const codeOf = async (size: number) =>
      (await world.graphql(caller.token, query, { size })).body.errors?.[0]?.extensions.code;
    expect([await codeOf(1), await codeOf(1), await codeOf(100)]).toEqual([undefined, undefined, 'QUERY_TOO_COMPLEX']);
  });

  test('is still refused for a read-only token', async () => {
    const { caller } = await world.team();
    const mutation = 'mutation { reopenGoal(input: {}) { goal { id } } }';
    expect((await world.graphql(caller.token, mutation)).body.errors).toBeUndefined();
    const { body } = await world.graphql(caller.readOnlyToken, mutation);
    expect(body.errors[0].extensions.code).toBe('READ_ONLY_TOKEN');
  });
});
