import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { openModels } from '../../src/database.js';
import { catalogue, errorCodes } from '../../src/errors/catalogue.js';
import type { ErrorCode } from '../../src/platform/failures/index.js';
import { holdKey } from '../../src/platform/graphql/changes.js';
import { snakeCased } from '../../src/platform/http/response.js';
import { createRateLimiters } from '../../src/platform/limits/rateLimit.js';
import { createToken } from '../../src/tokens.js';
import { openApi } from '../support/openapiValidator.js';
import { type Answer, createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { db } = world;
const clock = () => {
  throw new Error('the clock is broken');
};
const broken = new World(db, world.url, { clock });
const nowhere = 'postgresql://nobody@127.0.0.1:1/none';
const cutOff = new World(openModels({ url: nowhere, poolSize: 1, preparedStatements: false }), nowhere);

/** A gateway that answers one request in half a minute. */
function limited(): World {
  const limits = { windowSeconds: 30, perToken: 1, perAddress: 1 };
  const rateLimiters = createRateLimiters({
    store: 'memory',
    databaseUrl: world.url,
    preparedStatements: false,
    ...limits,
  });
  return new World(db, world.url, { rateLimiters });
}

const hooks = new World(db, world.url, { webhooks: { keys: ['k'.repeat(32)], allow: [], own: [] } });

const company = await world.company();
const author = await world.person(company, { id: 'person-ines-moreau', fullName: 'Inês Moreau' });
const stranger = await world.person(company);
const space = await world.space(company, [author]);
const goal = await world.closedGoal(space, { companyLevel: 10 });
const owner = await world.person(company, { isOwner: true });
const archived = await world.closedGoal(space, { id: 'goal-launch-mobile-app', archivedAt: world.now });
const versions = [1, 2, 3, 4, 5].map((number) => ({
  title: `Launch plan ${number}`,
  content: `Draft ${number}`,
  insertedAt: new Date(`2026-03-0${number + 4}T16:20:00Z`),
}));
const document = await world.document(await world.hub(company, { spaceId: space.id }), author, versions);

const reopen = 'mutation ($input: ReopenGoalInput!) { reopenGoal(input: $input) { goal { id } } }';
const restore =
  'mutation ($input: RestoreDocumentVersionInput!) { restoreDocumentVersion(input: $input) { document { id } } }';
const accept = { accept: 'application/graphql-response+json' };

interface Call {
  at?: World;
  token?: string | null;
  input?: Json | string;
  headers?: Record<string, string>;
}

type Provoke = () => Promise<Answer>;
type Provocation = { rest?: Provoke; graphql: Provoke };

/** The same call on both surfaces. */
function reopening({ at = world, token = author.token, input = { id: goal.id }, headers = {} }: Call): Provocation {
  const body = typeof input === 'string' ? input : JSON.stringify({ query: reopen, variables: { input } });
  return {
    rest: () => at.post(restPaths.reopenGoal, token, input, headers),
    graphql: () => at.post('/graphql', token, body, { ...accept, ...headers }),
  };
}

function restoring(documentId: string | null, versionNumber: number, expectedCurrentVersion: number): Provocation {
  const input = { documentId, versionNumber, expectedCurrentVersion };
  return {
    rest: () => world.post(restPaths.restoreDocumentVersion, author.token, snakeCased(input)),
    graphql: () => world.graphql(author.token, restore, { input }),
  };
}

function expecting(id: string, expectedState: string): Provocation {
  const query = `mutation ($id: ID!, $expectedState: String) {
    reopenGoal(input: { id: $id, expectedState: $expectedState }) { goal { id } }
  }`;
  return {
    rest: () => world.post(restPaths.reopenGoal, author.token, { id }, { 'if-match': `"${expectedState}"` }),
    graphql: () => world.graphql(author.token, query, { id, expectedState }),
  };
}

function undoing(activityId: string): Provocation {
  const query = 'mutation ($input: UndoChangeInput!) { undoChange(input: $input) { hasChanged } }';
  return {
    rest: () => world.post(restPaths.undoChange, author.token, { activity_id: activityId }),
    graphql: () => world.graphql(author.token, query, { input: { activityId } }),
  };
}

const graphqlBody = (body: unknown, at = world): Provocation => ({
  graphql: () => at.post('/graphql', author.token, body, accept),
});

const creating = (token: string, at = world): Provocation => ({
  graphql: () => at.graphql(token, 'mutation { createWebhook(input: { url: "https://example.com/" }) { secret } }'),
});

/** The call when the company has as many webhooks as it may have. */
const withAllWebhooks = (call: Provocation): Provocation => ({
  graphql: async () => {
    await world.sql(
      "INSERT INTO webhooks (company_id, slot, url) SELECT $1, n, 'https://example.com/' FROM generate_series(1, 20) n",
      [company.companyId],
    );
    return call.graphql();
  },
});

const restorable = await world.closedGoal(space, { id: 'goal-win-back', name: 'Win back', closedById: null });
const built = await world.activity(author, {
  id: 'activity-audiobook-reopened',
  action: 'goal_reopened',
  goalId: goal.id,
  name: 'Audiobook',
});
const restores = { name: 'restores', canWrite: true, scopes: ['restore_document_version'] };
const scoped = await createToken(db, { ...company, personId: author.id, ...restores });
const writeToken = await db.apiToken.findFirstOrThrow({ where: { personId: author.id, name: 'write' } });

/** The same call while another request holds its key. */
function whileHeld(call: Provocation, key: string): Provocation {
  const scope = { companyId: writeToken.companyId, tokenId: writeToken.id, operation: 'reopenGoal', key };
  const held = (provoke: Provoke) => () =>
    db.$transaction(async (tx) => {
      await holdKey(tx, scope);
      return provoke();
    });
  return { ...(call.rest && { rest: held(call.rest) }), graphql: held(call.graphql) };
}

const reusing = (key: string) => reopening({ input: { id: goal.id }, headers: { 'idempotency-key': key } });

/** The call after another one. */
function afterwards(call: Provocation, first: Provocation): Provocation {
  const after = (provoke: Provoke, before: Provoke) => async () => {
    await before();
    return provoke();
  };
  return {
    ...(call.rest && first.rest && { rest: after(call.rest, first.rest) }),
    graphql: after(call.graphql, first.graphql),
  };
}

/** The call a second time, on a gateway of its own for each surface. */
function twice(callAt: (at: World) => Provocation): Provocation {
  const first = callAt(limited());
  const { rest } = afterwards(first, first);
  const second = callAt(limited());
  const { graphql } = afterwards(second, second);
  return { ...(rest && { rest }), graphql };
}

/** The call on a path of either surface. */
const requesting = (call: (path: string) => Promise<Answer>): Provocation => ({
  rest: () => call(restPaths.reopenGoal),
  graphql: () => call('/graphql'),
});

/** The answer to a header `Host` of our own, which fetch does not send. */
async function atHost(host: string, path: string, method = 'POST'): Promise<Answer> {
  const request = send(`${await world.base()}${path}`, { method, headers: { host } }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const headers = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
  return { status: response.statusCode ?? 0, headers, body: await json(response) };
}

const slow = new World(db, world.url, { requestTimeout: 200 });
const late = (path: string) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${author.token}` };
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{')) });
  return slow.fetch(path, { method: 'POST', headers, body, duplex: 'half' });
};

const mutationByGet = `/graphql?query=${encodeURIComponent('mutation { reopenGoal(input: {}) { goal { id } } }')}`;

/** How to make each documented example happen. */
const provocations: Record<ErrorCode, Provocation> = {
  MALFORMED_REQUEST: requesting((path) => atHost('a b', path)),
  REQUEST_TIMEOUT: requesting(late),
  HEADERS_TOO_LARGE: requesting((path) => world.post(path, author.token, {}, { 'x-long': 'x'.repeat(17_000) })),
  MALFORMED_JSON: reopening({ input: '{"id":' }),
  BAD_USER_INPUT: restoring(null, 0, 5),
  GRAPHQL_PARSE_FAILED: graphqlBody({ query: '{}' }),
  GRAPHQL_VALIDATION_FAILED: graphqlBody({ query: '{ goal(id: "goal-launch-mobile-app") { nam } }' }),
  BAD_REQUEST: graphqlBody(7),
  QUERY_TOO_COMPLEX: graphqlBody({
    query: '{ resourceHubs(first: 100) { nodes { nodes(first: 100) { nodes { id } } } } }',
  }),
  PERSISTED_QUERY_NOT_SUPPORTED: graphqlBody({ extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }),
  UNAUTHENTICATED: reopening({ token: `gp_${'x'.repeat(43)}` }),
  READ_ONLY_TOKEN: reopening({ token: author.readOnlyToken }),
  INSUFFICIENT_SCOPE: reopening({ token: scoped.token }),
  FORBIDDEN: reopening({ token: stranger.token }),
  OWNER_REQUIRED: creating(author.token),
  TOO_MANY_WEBHOOKS: withAllWebhooks(creating(owner.token, hooks)),
  NOT_CONFIGURED: creating(owner.token),
  NOT_FOUND: reopening({ input: { id: 'goal-launch-mobile-ap' } }),
  METHOD_NOT_ALLOWED: {
    rest: () => world.fetch(restPaths.reopenGoal),
    graphql: () => world.fetch(mutationByGet, { headers: { ...accept, authorization: `Bearer ${author.token}` } }),
  },
  NOT_ACCEPTABLE: reopening({ headers: { accept: 'text/html' } }),
  GOAL_ARCHIVED: reopening({ input: { id: archived.id } }),
  CANNOT_BE_UNDONE: undoing(built.id),
  STATE_CHANGED: expecting(restorable.id, 'another'),
  VERSION_CONFLICT: restoring(document.id, 1, 4),
  PAYLOAD_TOO_LARGE: reopening({ input: JSON.stringify({ id: 'x'.repeat(1_048_577) }) }),
  IDEMPOTENCY_KEY_IN_USE: whileHeld(reusing('held'), 'held'),
  IDEMPOTENCY_KEY_REUSED: afterwards(
    reopening({ input: { id: archived.id }, headers: { 'idempotency-key': 'used' } }),
    reusing('used'),
  ),
  UNSUPPORTED_MEDIA_TYPE: reopening({ headers: { 'content-type': 'text/plain' } }),
  RATE_LIMITED: twice((at) => reopening({ at })),
  INTERNAL_SERVER_ERROR: reopening({ at: broken }),
  SERVICE_UNAVAILABLE: reopening({ at: cutOff }),
};

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The example that the page of a code shows for a surface. */
async function example(code: ErrorCode, surface: 'REST' | 'GraphQL'): Promise<string> {
  const { body } = await world.fetch(`/errors/${code}`);
  const [, text = ''] = body.text.split(`<h2>In ${surface}</h2>`)[1]?.match(/<pre[^>]*>(.*?)<\/pre>/s) ?? [];
  return text.replace(/<[^>]*>/g, '').replace(/&(#?\w+);/g, (_: string, name: string) => entities[name]);
}

/** A problem with its status and headers, exactly as the page shows it. */
function requireProblem(code: ErrorCode, text: string, { status, headers, body }: Answer): void {
  const [head = '', json = ''] = text.split('\n\n');
  const [statusLine, ...shown] = head.split('\n');
  expect(statusLine).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(status).toBe(catalogue[code].status);
  const names = shown.map((line) => line.split(': ')[0] ?? '');
  expect(names.map((name) => `${name}: ${headers.get(name)}`)).toEqual(shown);
  expect(body).toEqual({ ...JSON.parse(json), request_id: headers.get('x-request-id') });
}

/** A GraphQL error with its status, as the page shows it; where it happened depends on the document alone. */
function requireGraphqlError(code: ErrorCode, text: string, { status, headers, body }: Answer): void {
  const { errors, data = null, ...others } = body;
  expect({ status, data, others }).toEqual({ status: catalogue[code].status, data: null, others: {} });
  expect(headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json/);
  const shown = JSON.parse(text);
  shown.errors[0].extensions.requestId = headers.get('x-request-id');
  expect({ errors: errors.map(({ locations: _, path: __, ...error }: Json) => error) }).toEqual(shown);
}

describe.each(errorCodes)('%s', (code) => {
  const { rest, graphql } = provocations[code];
  const { occurs, alwaysProblem } = catalogue[code];

  if (rest) {
    test('is answered by REST exactly as its page and the OpenAPI document show it', async () => {
      const answer = await rest();
      requireProblem(code, await example(code, 'REST'), answer);
      const documented = openApi.components.examples[code]?.value;
      if (occurs === 'method') return expect(documented).toBeUndefined();
      expect(answer.body).toEqual({ ...documented, request_id: answer.body.request_id });
    });
  }

  test('is answered by GraphQL exactly as its page shows it', async () => {
    const answer = await graphql();
    const shown = await example(code, 'GraphQL');
    if (alwaysProblem) requireProblem(code, shown, answer);
    else requireGraphqlError(code, shown, answer);
  });
});

describe('problems of paths that are not REST', () => {
  test.each([
    ['/nothing', 'GET', 'NOT_FOUND', 'The path /nothing does not exist.'],
    ['/restore_document_version', 'POST', 'NOT_FOUND', 'The path /restore_document_version does not exist.'],
    ['/healthz', 'DELETE', 'METHOD_NOT_ALLOWED', '/healthz does not support DELETE. Use GET or HEAD.'],
  ] as const)('%s %s is %s', async (path, method, code, detail) => {
    const { status, headers, body } = await world.fetch(path, { method });
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect({ status, ...body }).toEqual({
      type: `/errors/${code}`,
      title: catalogue[code].title,
      status: catalogue[code].status,
      detail,
      code,
      request_id: headers.get('x-request-id'),
    });
  });
});

describe('the type of a problem', () => {
  test('is an absolute URL when the public address is configured', async () => {
    const known = new World(db, world.url, { publicUrl: 'https://api.example.com' });
    const { body } = await known.fetch('/nothing', { headers: { host: 'evil.example.net' } });
    expect(body.type).toBe('https://api.example.com/errors/NOT_FOUND');
  });

  test('is relative to the server when it is not, whatever the header Host says', async () => {
    const { body } = await atHost('evil.example.net', '/nothing');
    expect(body.type).toBe('/errors/NOT_FOUND');
  });
});
