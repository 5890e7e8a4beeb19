import { describe, expect, test } from 'vitest';
import { openClient } from '../src/database/client.js';
import { holdKey } from '../src/database/idempotencyKeys.js';
import { catalogue, type ErrorCode, errorCodes } from '../src/errors/catalogue.js';
import { createRateLimiters } from '../src/http/limits/rateLimiters.js';
import { snakeCase, snakeCased } from '../src/naming.js';
import { type Answer, createWorld, type Json, restPaths, World } from './support/world.js';

const world = await createWorld();
const { app, db } = world;
const clock = () => {
  throw new Error('the clock is broken');
};
const broken = new World(db, world.url, { clock });
const cutOff = new World(
  openClient({ url: 'postgresql://nobody@127.0.0.1:1/none', poolSize: 1, preparedStatements: false }),
  '',
);

const rateLimiters = createRateLimiters({
  store: 'memory',
  databaseUrl: world.url,
  windowSeconds: 60,
  perToken: 1,
  perAddress: 1,
});
const limited = new World(db, world.url, { rateLimiters });

const persistedOnly = new World(db, world.url, { persisted: { documents: new Map(), only: true } });

const company = await world.company();
const author = await world.person(company);
const stranger = await world.person(company);
const space = await world.space(company, [author]);
const goal = await world.closedGoal(space, { companyLevel: 10 });
const archived = await world.closedGoal(space, { archivedAt: world.now });
const document = await world.document(await world.hub(company, { spaceId: space.id }), author);

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

function restoring(documentId: string, versionNumber: number, expectedCurrentVersion: number): Provocation {
  const input = { documentId, versionNumber, expectedCurrentVersion };
  return {
    rest: () => world.post(restPaths.restoreDocumentVersion, author.token, snakeCased(input)),
    graphql: () => world.graphql(author.token, restore, { input }, accept),
  };
}

const graphqlBody = (body: unknown): Provocation => ({
  graphql: () => world.post('/graphql', author.token, body, accept),
});

const writeToken = await db.apiToken.findFirstOrThrow({ where: { personId: author.id, canWrite: true } });

/** The same call while another request holds its key. */
function whileHeld(call: Provocation, key: string): Provocation {
  const scope = { tokenId: writeToken.id, operation: 'reopenGoal', key };
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

/** How to make each code happen. */
const provocations: Record<ErrorCode, Provocation> = {
  MALFORMED_JSON: reopening({ input: '{"id":' }),
  BAD_USER_INPUT: restoring(document.id, 0, 0),
  GRAPHQL_PARSE_FAILED: graphqlBody({ query: '{' }),
  GRAPHQL_VALIDATION_FAILED: graphqlBody({ query: '{ nothing }' }),
  BAD_REQUEST: graphqlBody({}),
  QUERY_TOO_COMPLEX: graphqlBody({ query: `{ ${Array.from({ length: 40 }, (_, n) => `v${n}: __typename`)} }` }),
  PERSISTED_DOCUMENT_REQUIRED: { graphql: reopening({ at: persistedOnly }).graphql },
  PERSISTED_QUERY_NOT_FOUND: {
    graphql: () => persistedOnly.post('/graphql', author.token, { documentId: 'nothing' }, accept),
  },
  UNAUTHENTICATED: reopening({ token: null }),
  READ_ONLY_TOKEN: reopening({ token: author.readOnlyToken }),
  FORBIDDEN: reopening({ token: stranger.token }),
  NOT_FOUND: reopening({ input: { id: 'nothing' } }),
  METHOD_NOT_ALLOWED: {
    rest: () => world.fetch(restPaths.reopenGoal),
    graphql: () => world.fetch('/graphql', { method: 'DELETE', headers: accept }),
  },
  NOT_ACCEPTABLE: reopening({ headers: { accept: 'text/html' } }),
  GOAL_ARCHIVED: reopening({ input: { id: archived.id } }),
  VERSION_CONFLICT: restoring(document.id, 1, 2),
  PAYLOAD_TOO_LARGE: reopening({ input: JSON.stringify({ id: 'x'.repeat(1_048_577) }) }),
  IDEMPOTENCY_KEY_IN_USE: whileHeld(reusing('held'), 'held'),
  IDEMPOTENCY_KEY_REUSED: afterwards(
    reopening({ input: { id: archived.id }, headers: { 'idempotency-key': 'used' } }),
    reusing('used'),
  ),
  UNSUPPORTED_MEDIA_TYPE: reopening({ headers: { 'content-type': 'text/plain' } }),
  RATE_LIMITED: afterwards(reopening({ at: limited }), reopening({ at: limited })),
  INTERNAL_SERVER_ERROR: reopening({ at: broken }),
  SERVICE_UNAVAILABLE: reopening({ at: cutOff }),
};

/** The members of the case, and that they are those of the catalogue. */
function membersOf(code: ErrorCode, fields: Json, common: string[], nameOf: (name: string) => string): Json {
  const { members = {}, optionalMembers = {} } = catalogue[code];
  const given = Object.fromEntries(Object.entries(fields).filter(([name]) => !common.includes(name)));
  const always = Object.keys(members).map(nameOf);
  const known = [...always, ...Object.keys(optionalMembers).map(nameOf)];
  expect(Object.keys(given)).toEqual(expect.arrayContaining(always));
  expect(known).toEqual(expect.arrayContaining(Object.keys(given)));
  return given;
}

function requireHeaders(code: ErrorCode, { headers }: Answer): void {
  for (const name of Object.keys(catalogue[code].headers ?? {})) expect(headers.get(name), name).not.toBeNull();
}

const common = ['type', 'title', 'status', 'detail', 'code', 'request_id'];

function problemMembers(code: ErrorCode, answer: Answer): Json {
  const { status, title } = catalogue[code];
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(answer.body).toMatchObject({
    type: `/errors/${code}`,
    title,
    status,
    code,
    request_id: answer.headers.get('x-request-id'),
  });
  expect(answer.body.detail).toMatch(/\S/);
  requireHeaders(code, answer);
  return membersOf(code, answer.body, common, snakeCase);
}

function extensionMembers(code: ErrorCode, answer: Answer): Json {
  expect(answer.status).toBe(catalogue[code].status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/graphql-response\+json|^application\/json/);
  expect(answer.body.errors).toHaveLength(1);
  const { message, extensions } = answer.body.errors[0];
  expect(message).toMatch(/\S/);
  expect(extensions).toMatchObject({ code, requestId: answer.headers.get('x-request-id') });
  requireHeaders(code, answer);
  return membersOf(code, extensions, ['code', 'requestId'], (name) => name);
}

/** GraphQL's members as REST spells them. */
const spelled = (members: Json) => {
  const text = JSON.stringify(snakeCased(members));
  return JSON.parse(text, (key, value) => (key === 'field' ? snakeCase(value.replace(/^input\./, '')) : value));
};

describe.each(errorCodes)('%s', (code) => {
  const { rest, graphql } = provocations[code];

  test('has the status, title and members of the catalogue on both surfaces', async () => {
    // Who refuses JSON gets a problem from GraphQL too: there is nothing else to say it in.
    if (code === 'NOT_ACCEPTABLE') return void problemMembers(code, await graphql());
    const inGraphql = extensionMembers(code, await graphql());
    if (!rest) return expect(catalogue[code].occurs).toBe('graphql');
    expect(problemMembers(code, await rest())).toEqual(spelled(inGraphql));
  });

  test('has a page that explains it, and is what its problem points to', async () => {
    const response = await app.fetch(`http://gateway.test/errors/${code}`);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain(`<h1>${code}</h1>`);
    expect(text).toContain(`<strong>${catalogue[code].status} `);
    for (const name of Object.keys(catalogue[code].members ?? {})) {
      expect(text).toContain(`<code>${name}</code>`);
      expect(text).toContain(`<code>${snakeCase(name)}</code>`);
    }
    expect(text.includes('<h2>In REST</h2>')).toBe(rest !== undefined);
    expect(text).toContain('<h2>In GraphQL</h2>');
  });
});

describe('error pages', () => {
  test('/errors lists every code', async () => {
    const { status, body } = await world.fetch('/errors');
    expect(status).toBe(200);
    for (const code of errorCodes) expect(body.text).toContain(`<a href="/errors/${code}">${code}</a>`);
  });

  test('load only what is ours, run nothing, and are framed by nobody', async () => {
    const { headers, body } = await world.fetch('/errors/VERSION_CONFLICT');
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-anc/);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(body.text).not.toMatch(/<script|<img|https?:/);
  });

  test('an unknown code is a problem', async () => {
    problemMembers('NOT_FOUND', await world.fetch('/errors/NOTHING'));
  });
});

describe('problems of paths that are not REST', () => {
  test.each([
    ['/nothing', 'GET', 'NOT_FOUND'],
    ['/api/external/v2/reopen_goal', 'POST', 'NOT_FOUND'],
    ['/api/external/v1/reopen_goal/', 'POST', 'NOT_FOUND'],
    ['/healthz', 'DELETE', 'METHOD_NOT_ALLOWED'],
    ['/errors', 'POST', 'METHOD_NOT_ALLOWED'],
  ] as const)('%s %s is %s', async (path, method, code) => {
    problemMembers(code, await world.fetch(path, { method }));
  });
});

describe('the type of a problem', () => {
  test('is an absolute URL when the public address is configured', async () => {
    const known = new World(db, world.url, { publicUrl: 'https://api.example.com' });
    const { body } = await known.fetch('/nothing', { headers: { host: 'evil.example.net' } });
    expect(body.type).toBe('https://api.example.com/errors/NOT_FOUND');
  });

  test('is relative to the server when it is not, whatever the header Host says', async () => {
    const { body } = await world.fetch('/nothing', { headers: { host: 'evil.example.net' } });
    expect(body.type).toBe('/errors/NOT_FOUND');
  });
});
