import { describe, expect, test } from 'vitest';
import { createWorld, restPaths } from '../support/world.js';

const world = await createWorld();
const { caller } = await world.team();
const query = { query: '{ viewer { person { id } } }' };
const bodies: Record<string, object> = { [restPaths.reopenGoal]: {}, '/graphql': query };
const paths = Object.keys(bodies);

describe.each(paths)('%s', (path) => {
  const ask = (accept: string, token: string | null = caller.token) =>
    world.post(path, token, bodies[path], { accept });

  test.each(['text/html', 'application/xml', 'application/json;q=0', '*/*;q=0', 'application/problem+json'])(
    'refuses Accept: %s as every other failure of the path',
    async (accept) => {
      const { status, headers, body } = await ask(accept);
      const [{ extensions }] = body.errors ?? [{ extensions: { code: body.code, requestId: body.request_id } }];
      expect([status, extensions.code]).toEqual([406, 'NOT_ACCEPTABLE']);
      expect(extensions.requestId).toBe(headers.get('x-request-id'));
      const type = path === '/graphql' ? /^application\/(graphql-response\+)?json/ : /^application\/problem\+json/;
      expect(headers.get('content-type')).toMatch(type);
    },
  );

  test.each([
    '',
    '*/*',
    'application/json',
    'application/problem+json, application/json',
    'text/html;q=0, application/json;q=0.001',
    ', ,',
    'text/html, application/xhtml+xml, application/xml;q=0.9, image/avif, */*;q=0.8',
  ])('answers Accept: %s', async (accept) => {
    const { status, headers } = await ask(accept);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/(json|graphql-response\+json)/);
  });
});

test.each([
  ['*/*', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
  ['application/json, application/graphql-response+json', 'application/json'],
  ['application/json;q=0.5, application/graphql-response+json', 'application/graphql-response+json'],
  ['application/json;q=0, */*', 'application/graphql-response+json'],
])('GraphQL answers Accept: %s as %s', async (accept, type) => {
  const { status, headers } = await world.post('/graphql', caller.token, query, { accept });
  expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
});

test('REST has only application/json to give', async () => {
  const refused = ['application/graphql-response+json', 'application/json;q=0, */*'];
  for (const accept of refused)
    expect((await world.post(restPaths.reopenGoal, caller.token, {}, { accept })).status).toBe(406);
});
