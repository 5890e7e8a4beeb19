import { serverAudits } from 'graphql-http';
import { beforeAll, expect, test } from 'vitest';
import { createWorld } from './support/world.js';

const world = await createWorld();
let authorization: string;

beforeAll(async () => {
  const { readOnlyToken } = await world.person(await world.company());
  authorization = `Bearer ${readOnlyToken}`;
});

// The audits of graphql-http, with a token: without one the answer to everything is 401 (docs/api.md, "Order of checks").
const fetchFn = (url: string, init: RequestInit = {}) =>
  world.app.fetch(
    new Request(url, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), authorization } }),
  );

const audits = serverAudits({ url: 'http://gateway.test/graphql', fetchFn });

test('there are 61 audits', () => {
  expect(audits).toHaveLength(61);
});

test.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_name, audit) => {
  const result = await audit.fn();
  expect(result, 'reason' in result ? result.reason : '').toMatchObject({ status: 'ok' });
});
