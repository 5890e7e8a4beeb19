import { type DocumentNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { DocumentCache } from '../../src/platform/graphql/parsing.js';
import { createWorld } from '../support/world.js';

/** Parses a document, unless the cache has it; a valid one is added. */
function pipeline(bytes: number) {
  const cache = new DocumentCache(bytes);
  return (text: string, isValid = true): DocumentNode => {
    const document = cache.get(text) ?? parse(text);
    if (isValid && !cache.has(document)) cache.add(document);
    return document;
  };
}

const megabyte = 2 ** 20;

const world = await createWorld();

describe('the cache of documents', () => {
  test('keeps no invalid and no large document', () => {
    const run = pipeline(megabyte);
    expect(run('{ bad }', false)).not.toBe(run('{ bad }', false));
    const large = `{ ${'a '.repeat(40)} }`;
    expect(run(large)).not.toBe(run(large));
    const padded = `{ a } #${'x'.repeat(10_000)}`;
    expect(run(padded)).not.toBe(run(padded));
  });

  test('drops the documents used longest ago once it is full', () => {
    const run = pipeline(megabyte);
    const [first, second] = [run('{ first }'), run('{ second }')];
    for (let index = 0; index < 1000; index += 1) {
      run(`{ other${index} }`);
      run('{ first }');
    }
    expect(run('{ first }')).toBe(first);
    expect(run('{ second }')).not.toBe(second);
  });
});

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
