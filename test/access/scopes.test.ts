import { isEnumType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { scopeOf } from '../../src/platform/graphql/index.js';
import { snakeCase } from '../../src/platform/http/index.js';
import { schema } from '../../src/schema.js';
import { createToken, type NewToken } from '../../src/tokens.js';
import { Agent } from '../support/agent.js';
import { operations, operationsUnderTest } from '../support/operations.js';
import { statementsOf } from '../support/statements.js';
import { mutation, snakeKeys } from '../support/surfaces.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const world = await createWorld();
const { company, space } = await world.team();
const owner = await world.person(company, { isOwner: true });

const tokenOf = async (grants: Partial<NewToken>, personId = owner.id) =>
  createToken(world.db, { ...company, personId, name: 'test', canWrite: true, ...grants });

const fields = Object.values(schema.getMutationType()?.getFields() ?? {});
const scopes = [...new Set(fields.map(scopeOf))].sort();

/** An input that every mutation takes as valid. */
const inputs: Record<string, Json> = {
  createWebhook: { url: 'https://example.com/' },
  updateWebhook: { id: 'unknown' },
  deleteWebhook: { id: 'unknown' },
  rotateWebhookSecret: { id: 'unknown' },
  replayWebhook: { id: 'unknown', afterSequence: 0 },
  pingWebhook: { id: 'unknown' },
  redeliverWebhookEvent: { id: 'unknown', eventId: 'unknown' },
  ...Object.fromEntries(operations.map((operation) => [operation, operationsUnderTest[operation].unknown])),
};

/** Sends mutation fields in one request, each with a valid input that names nothing. */
const send = (token: string, ...names: string[]) => {
  const parts = names.map((name, index) => {
    const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input!`;
    return { variable: `$i${index}: ${type}`, field: `f${index}: ${name}(input: $i${index}) { __typename }` };
  });
  const document = `mutation (${parts.map(({ variable }) => variable).join(', ')}) {
    ${parts.map(({ field }) => field).join('\n')}
  }`;
  return world.graphql(token, document, Object.fromEntries(names.map((name, index) => [`i${index}`, inputs[name]])));
};

const refused = (missing: string[], granted: string[]) => ({
  code: 'INSUFFICIENT_SCOPE',
  missingScopes: missing,
  grantedScopes: granted,
});

test('every mutation has a scope: its name in snake_case, and one for all that changes webhooks', () => {
  expect(Object.keys(inputs).sort()).toEqual(fields.map(({ name }) => name).sort());
  expect(scopes).toEqual(['manage_webhooks', ...operations.map(snakeCase)].sort());
  expect(scopes).toContain('reopen_goal');
  const known = schema.getType('TokenScope');
  expect(isEnumType(known) && known.getValues().map(({ value }) => value)).toEqual(expect.arrayContaining(scopes));
  expect(isEnumType(known) && known.getValues()).toHaveLength(scopes.length);
});

test('a scope that only a later version has is not shown, and the others are', async () => {
  const { token } = await tokenOf({ scopes: ['of_a_later_version', 'manage_webhooks'] });
  const { body } = await world.graphql(token, '{ viewer { token { scopes } } }');
  expect(body).toEqual({ data: { viewer: { token: { scopes: ['MANAGE_WEBHOOKS'] } } } });
});

// No scope at all, each alone, and all.
const sets = [[], ...scopes.map((scope) => [scope]), scopes];

describe('a token whose scopes are limited', () => {
  test.each(sets)('to %j %j %j %j %j may do exactly that, through GraphQL, REST and the tools', async (...given) => {
    const granted = given.filter((scope) => scope !== undefined);
    const { token } = await tokenOf({ scopes: granted });
    for (const field of fields) {
      const scope = scopeOf(field);
      const { status, body, headers } = await send(token, field.name);
      if (granted.includes(scope)) {
        expect(body.errors[0].extensions.code, field.name).not.toMatch(/SCOPE|READ_ONLY/);
        continue;
      }
      expect({ status, ...body.errors[0].extensions }).toMatchObject({ status: 403, ...refused([scope], granted) });
      expect(headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    }
    for (const operation of operations) {
      const scope = scopeOf(fields.find(({ name }) => name === operation) as (typeof fields)[number]);
      const input = snakeKeys(inputs[operation]);
      const { status, body, headers } = await world.post(restPaths[operation], token, input);
      if (granted.includes(scope)) {
        expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' });
        continue;
      }
      expect({ status, body }).toMatchObject({
        status: 403,
        body: { code: 'INSUFFICIENT_SCOPE', missing_scopes: [scope], granted_scopes: granted },
      });
      expect(headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    }
    for (const name of operations.map(snakeCase)) {
      const agent = new Agent(world, token);
      const failure = await agent.failure(name, { confirmation: 'none' });
      if (granted.includes(name)) expect(failure.code).toBe('BAD_USER_INPUT');
      else
        expect(failure).toMatchObject({ code: 'INSUFFICIENT_SCOPE', missing_scopes: [name], granted_scopes: granted });
    }
  });

  test('needs the scopes of all fields of a request, also in fragments, and nothing is changed', async () => {
    const { token } = await tokenOf({ scopes: ['reopen_goal'] });
    const goal = await world.closedGoal(space);
    const document = `mutation ($id: ID!) {
      reopenGoal(input: { id: $id }) { goal { id } }
      ...Others
      ... { restoreDocumentVersion(input: { documentId: "x", versionNumber: 1, expectedCurrentVersion: 1 }) { __typename } }
    }
    fragment Others on Mutation { a: deleteResourceHubFile(input: {}) { __typename } b: deleteWebhook(input: { id: "x" }) { __typename } }`;
    const { status, body, headers } = await world.graphql(token, document, { id: goal.id });
    const missing = ['delete_resource_hub_file', 'manage_webhooks', 'restore_document_version'];
    expect({ status, ...body.errors[0].extensions }).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
    expect([...body.errors[0].extensions.missingScopes].sort()).toEqual(missing);
    expect(headers.get('www-authenticate')).toContain(`scope="${body.errors[0].extensions.missingScopes.join(' ')}"`);
    expect(
      (await world.db.goal.findUniqueOrThrow({ where: { companyId_id: { ...company, id: goal.id } } })).closedAt,
    ).not.toBeNull();
  });

  test('is refused before anything is looked up but the token', async () => {
    const { token } = await tokenOf({ scopes: ['reopen_goal'], surfaces: ['graphql'] });
    await world.graphql(token, '{ __typename }');
    const { statements } = await statementsOf(() => send(token, 'deleteResourceHubFile', 'restoreDocumentVersion'));
    expect(statements).toHaveLength(1);
    expect(statements[0]?.text).toContain('api_tokens');
    expect((await statementsOf(() => world.post(restPaths.reopenGoal, token, {}))).statements).toHaveLength(1);
  });

  test('may read whatever its person may, and is read-only without --write whatever its scopes', async () => {
    const { token } = await tokenOf({ scopes: ['reopen_goal'] });
    const asked = await world.graphql(token, '{ webhooks { id } viewer { token { scopes surfaces } } }');
    expect(asked.body.data.viewer.token).toEqual({ scopes: ['REOPEN_GOAL'], surfaces: null });
    const readOnly = await tokenOf({ scopes: ['reopen_goal'], canWrite: false });
    expect((await send(readOnly.token, 'reopenGoal')).body.errors[0].extensions.code).toBe('READ_ONLY_TOKEN');
  });
});

describe('a token whose surfaces are limited', () => {
  const all = ['rest', 'graphql', 'mcp'] as const;

  test.each<(typeof all)[number][][]>([[['rest']], [['graphql', 'mcp']]])(
    'to %j is refused elsewhere',
    async (granted) => {
      const { token } = await tokenOf({ surfaces: granted });
      const outcomes = {
        rest: await world.post(restPaths.reopenGoal, token, {}),
        graphql: await world.graphql(token, '{ viewer { token { surfaces } } }'),
        mcp: await new Agent(world, token).request('tools/list'),
      };
      for (const surface of all) {
        const { status, headers, body } = outcomes[surface];
        if (granted.includes(surface)) {
          expect(status).toBe(200);
          continue;
        }
        expect(status).toBe(403);
        expect(headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="surface:${surface}"`);
        const failure = surface === 'graphql' ? snakeKeys(body.errors[0].extensions) : body;
        expect(failure).toMatchObject({
          code: 'INSUFFICIENT_SCOPE',
          missing_scopes: [`surface:${surface}`],
          granted_scopes: granted.map((each) => `surface:${each}`),
        });
      }
      if (granted.includes('graphql')) {
        const shown = granted.map((surface) => surface.toUpperCase());
        expect(outcomes.graphql.body.data.viewer.token.surfaces).toEqual(shown);
      }
    },
  );

  test('is refused for a stream', async () => {
    const { token } = await tokenOf({ surfaces: ['rest'] });
    const stream = await world.fetch('/graphql', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'subscription { events { id } }' }),
    });
    expect(stream.status).toBe(403);
  });
});

describe('an activity', () => {
  const shown = `{ goal(id: "$id") { activities(first: 1) { nodes { surface token { id name lastFour } } } } }`;
  const activityOf = async (token: string, id: string) =>
    (await world.graphql(token, shown.replace('$id', id))).body.data.goal.activities.nodes[0];

  test.each(['REST', 'GraphQL'])('through %s keeps the token and the surface', async (surface) => {
    const author = await world.person(company);
    const token = await tokenOf({}, author.id);
    const goal = await world.closedGoal(space);
    if (surface === 'REST') await world.post(restPaths.reopenGoal, token.token, { id: goal.id });
    else await world.graphql(token.token, mutation('reopenGoal'), { input: { id: goal.id } });
    const expected = {
      surface: surface === 'REST' ? 'REST' : 'GRAPHQL',
      token: { id: token.id, name: 'test', lastFour: token.token.slice(-4) },
    };
    // Its person, with whatever token, and owners.
    expect(await activityOf(author.readOnlyToken, goal.id)).toEqual(expected);
    expect(await activityOf(owner.readOnlyToken, goal.id)).toEqual(expected);
    const other = await world.person(company);
    expect(await activityOf(other.token, goal.id)).toEqual({ surface: null, token: null });
  });
});
