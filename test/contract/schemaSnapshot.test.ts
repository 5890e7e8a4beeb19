import { parse, printSchema, visit } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema, sdl } from '../../src/schema/index.js';
import { textOf } from '../support/documents.js';

describe('schema.graphql', () => {
  test('is committed as the code prints it; npm run schema updates it', () => {
    const sides = 'the committed schema.graphql (-) is not what the code prints (+)';
    expect(sdl(), sides).toBe(textOf('schema.graphql'));
  });
});

test('the GraphQL schema says of every type, field, argument and value what it is; of paging once, on Connection', () => {
  const described = new Map<string, string | undefined>();
  const path: string[] = [];
  visit(parse(printSchema(schema)), {
    enter(node) {
      if (!('description' in node) || !('name' in node) || !node.name) return;
      path.push(node.name.value);
      described.set(path.join('.'), node.description?.value);
    },
    leave(node) {
      if ('description' in node && 'name' in node && node.name) path.pop();
    },
  });
  expect(described.size).toBeGreaterThan(250);
  expect(described.has('Mutation.reopenGoal.input')).toBe(true);
  const isPaging = (path: string) =>
    /Connection\.(edges|nodes|totalCount|pageInfo)$|Edge(\.(cursor|node))?$|\.(first|after|last|before)$/.test(path);
  const isOwn = (path: string) => /WebhookInput\.after$|^Subscription\./.test(path);
  const isDescribed = ([path]: [string, unknown]) => !isPaging(path) || isOwn(path);
  expect([...described].filter(isDescribed).filter(([, text]) => !/^[A-Z0-9`].*[.!?]$/s.test(text ?? ''))).toEqual([]);
  expect([...described].filter((each) => !isDescribed(each) && each[1] && !/^Query\.events/.test(each[0]))).toEqual([]);
});
