import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createRateLimiters } from '../../src/platform/limits/rateLimit.js';
import { eventually } from '../support/eventually.js';
import { askForStream, OpenStream, openStream } from '../support/openStream.js';
import { createWorld, restPaths, World } from '../support/world.js';

/** How far the clock of the streams is ahead, in milliseconds. */
let ahead = 0;
const world = await createWorld({ isAlone: true, streaming: { most: 40, now: () => performance.now() + ahead } });
let base = '';
beforeAll(async () => {
  world.startDispatcher();
  base = await world.base();
});

type Team = Awaited<ReturnType<typeof world.team>>;

/** Another program records that a goal was closed. Returns the id of the event. */
async function record({ company, space, caller }: Team, goal?: { id: string }): Promise<string> {
  const { id: goalId } = goal ?? (await world.goal(space));
  const { id } = await world.activity(caller, { action: 'goal_closed', goalId });
  world.dispatcher.changed(company.companyId);
  return id;
}

async function reopen({ space, caller }: Team): Promise<void> {
  const { id } = await world.closedGoal(space);
  expect((await world.post(restPaths.reopenGoal, caller.token, { id })).status).toBe(200);
}

const untilNoneIsOpen = () => eventually(() => expect(world.streams.open).toBe(0));
beforeEach(untilNoneIsOpen);

test('sends each event after it is committed, with what was selected', async () => {
  const team = await world.team();
  const query =
    'subscription { events { id type sequence timestamp activity { subject { ... on Goal { name status } } author { id } } } }';
  const stream = await openStream(base, team.caller.readOnlyToken, { query });
  await reopen(team);
  const block = await stream.next();
  expect(block).toMatchObject({ event: 'next', id: stream.lastEventId });
  expect(block?.data).toEqual({
    data: {
      events: {
        id: expect.any(String),
        type: 'GOAL_REOPENED',
        sequence: 1,
        timestamp: expect.stringMatching(/Z$/),
        activity: { subject: { name: expect.any(String), status: 'OUTDATED' }, author: { id: team.caller.id } },
      },
    },
  });
  stream.close();
});

test('is as fresh with each event as a new request', async () => {
  const team = await world.team();
  const goal = await world.goal(team.space, { name: 'Before' });
  const query = 'subscription { events { activity { subject { ... on Goal { name } } } } }';
  const stream = await openStream(base, team.caller.token, { query });
  await record(team, goal);
  expect(await stream.events(1)).toEqual([{ activity: { subject: { name: 'Before' } } }]);
  await world.sql(`UPDATE goals SET name = 'After' WHERE company_id = $1 AND id = $2`, [goal.companyId, goal.id]);
  await record(team, goal);
  expect(await stream.events(1)).toEqual([{ activity: { subject: { name: 'After' } } }]);
  stream.close();
});

test('misses and repeats nothing, however often it is cut', async () => {
  const team = await world.team();
  let stream = await openStream(base, team.caller.token);
  const goal = await world.goal(team.space);
  const writing = (async () => {
    for (let count = 0; count < 60; count++) await record(team, goal);
  })();
  const sequences: number[] = [];
  while (sequences.length < 60) {
    const block = await stream.event();
    sequences.push(block?.data.data.events.sequence);
    if (sequences.length % 7 !== 0) continue;
    stream.close();
    stream = await openStream(base, team.caller.token, { lastEventId: block?.id });
  }
  await writing;
  expect(sequences).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  stream.close();
});

/** The sequence in a cursor. */
const sequenceIn = (cursor: string): number => JSON.parse(Buffer.from(cursor, 'base64url').toString())[2];

test('begins behind Last-Event-ID, else after a cursor, else now', async () => {
  const team = await world.team();
  const first = await openStream(base, team.caller.token);
  const atStart = first.lastEventId;
  await record(team);
  await first.events(1);
  const afterFirst = first.lastEventId;
  await record(team);
  await first.events(1);
  first.close();
  const query = 'subscription ($after: String) { events(after: $after) { sequence } }';
  const cases = [
    { sequence: 1, options: { query, variables: { after: atStart } } },
    { sequence: 2, options: { query, variables: { after: afterFirst } } },
    { sequence: 2, options: { query, variables: { after: atStart }, lastEventId: afterFirst } },
    { sequence: 1, options: { query, variables: { after: atStart }, lastEventId: '' } },
    { sequence: 2, options: { query, variables: { after: afterFirst }, method: 'GET' as const } },
  ];
  for (const { sequence, options } of cases) {
    const stream = await openStream(base, team.caller.token, options);
    expect(await stream.events(1)).toEqual([{ sequence }]);
    stream.close();
  }
  const now = await openStream(base, team.caller.token);
  expect(sequenceIn(now.lastEventId)).toBe(2);
  now.close();
});

test.each([
  ['only the wanted actions', 'actions: [GOAL_REOPENED]'],
  ['no origins that are left out', 'exceptOrigins: [APPLICATION]'],
])('sends %s', async (_what, wanted) => {
  const team = await world.team();
  const query = `subscription { events(${wanted}) { type origin } }`;
  const stream = await openStream(base, team.caller.token, { query });
  await record(team);
  await reopen(team);
  expect(await stream.events(1)).toEqual([{ type: 'GOAL_REOPENED', origin: 'API' }]);
  stream.close();
});

test('shows what the caller may see at that moment, and nothing else', async () => {
  const team = await world.team();
  const guest = await world.person(team.company, { type: 'guest' });
  const [hidden, shown] = [await world.goal(team.space), await world.goal(team.space)];
  const grant = await world.grant(team.company, guest, 10, { goalId: shown.id });
  const stream = await openStream(base, guest.token);
  await record(team, hidden);
  await record(team, shown);
  expect(await stream.events(1)).toMatchObject([{ sequence: 2 }]);
  await world.sql('DELETE FROM access_grants WHERE company_id = $1 AND id = $2', [grant.companyId, grant.id]);
  await record(team, shown);
  await record(team, hidden);
  await world.grant(team.company, guest, 10, { goalId: hidden.id });
  await record(team, hidden);
  const [{ sequence }] = await stream.events(1);
  // Whether the fourth was looked at before or after the grant is chance.
  expect([4, 5]).toContain(sequence);
  stream.close();
});

const unauthenticated = { errors: [{ message: expect.any(String), extensions: { code: 'UNAUTHENTICATED' } }] };

test.each([
  ['the token is revoked', 'UPDATE api_tokens SET revoked_at = now() WHERE company_id = $1 AND person_id = $2'],
  ['the token has expired', 'UPDATE api_tokens SET expires_at = now() WHERE company_id = $1 AND person_id = $2'],
  ['the person is suspended', 'UPDATE people SET suspended_at = now() WHERE company_id = $1 AND id = $2'],
])('ends for good before the next event once %s', async (_case, sql) => {
  const team = await world.team();
  const stream = await openStream(base, team.caller.token);
  await record(team);
  await stream.events(1);
  await world.sql(sql, [team.company.companyId, team.caller.id]);
  await record(team);
  const block = await stream.event();
  expect(block).toMatchObject({ event: 'next', data: unauthenticated });
  expect(await stream.event()).toMatchObject({ event: 'complete' });
  expect(await stream.next()).toBeUndefined();
  expect(stream.retry).toBeUndefined();
});

const minutes = 60_000;

test('ends after an hour at most with a time to come back, and misses nothing then', async () => {
  const team = await world.team();
  const stream = await openStream(base, team.caller.token);
  onTestFinished(() => {
    ahead = 0;
  });
  ahead = 53 * minutes;
  // It says that it lives.
  expect(await stream.next()).toMatchObject({ event: undefined });
  ahead = 60 * minutes;
  expect(await stream.event()).toBeUndefined();
  expect(stream.retry).toBeGreaterThanOrEqual(1_000);
  expect(stream.retry).toBeLessThanOrEqual(6_000);
  const lines = world.log.filter(({ msg, tokenId }) => msg === 'stream ended' && tokenId);
  expect(lines.at(-1)).toMatchObject({ companyId: team.company.companyId, ending: 'come back' });

  await record(team);
  const again = await openStream(base, team.caller.token, { lastEventId: stream.lastEventId });
  expect(await again.events(1)).toMatchObject([{ sequence: 1 }]);
  again.close();
});

test('one whose field a directive may leave out is refused with 400', async () => {
  const { caller } = await world.team();
  const query =
    'subscription ($leaveOut: Boolean!) { ...Left } fragment Left on Subscription { events @skip(if: $leaveOut) { id } }';
  const refused = await askForStream(base, caller.token, { query, variables: { leaveOut: true } });
  const message = expect.stringMatching(/^The root field of a subscription.* must not have @skip\.$/);
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] } });
  await untilNoneIsOpen();
});

test.each([
  ['without a token', 401, 'UNAUTHENTICATED', { headers: { authorization: 'Basic x' } }],
  ['without Accept: text/event-stream', 406, 'NOT_ACCEPTABLE', { headers: { accept: 'application/json' } }],
  ['with a Last-Event-ID that is no cursor', 400, 'BAD_USER_INPUT', { lastEventId: 'x' }],
  ['with a cursor that is none', 400, 'BAD_USER_INPUT', { query: 'subscription { events(after: "x") { id } }' }],
  ['for a query', 406, 'NOT_ACCEPTABLE', { query: '{ viewer { id } }' }],
])('%s it is refused with %i', async (_case, status, code, options) => {
  const { caller } = await world.team();
  const refused = await askForStream(base, caller.token, options);
  expect(refused).toMatchObject({ status, body: { errors: [{ extensions: { code } }] } });
  await untilNoneIsOpen();
});

test('a cursor whose event is another is refused, names where it was, and says what to do', async () => {
  const team = await world.team();
  const stream = await openStream(base, team.caller.token);
  await record(team);
  await stream.events(1);
  stream.close();
  const lastEventId = Buffer.from(JSON.stringify(['events', 0, 1, 'another-one-'])).toString('base64url');
  const message = expect.stringMatching(
    /of another one, or this one was set back.*Read the query events from the beginning.*open the stream with/,
  );
  const bad = (field: string) => ({
    status: 400,
    body: { errors: [{ extensions: { errors: [{ field, message }] } }] },
  });
  expect(await askForStream(base, team.caller.token, { lastEventId })).toMatchObject(bad('Last-Event-ID'));
  const query = `subscription { events(after: "${lastEventId}") { id } }`;
  expect(await askForStream(base, team.caller.token, { query })).toMatchObject(bad('after'));
  await untilNoneIsOpen();
});

const base64url = (text: string) => Buffer.from(text).toString('base64url');
/** A cursor of the company's first event, whose mark has so many characters. */
const ofFirst = (length: number) => base64url(JSON.stringify(['events', 0, 1, 'm'.repeat(length)]));
/** Decoding skips the line breaks, and takes the letters for a mark. */
const forged = `${base64url('["events",0,1,"')}\n\nevent: complete\ndata: aaa\n\n${base64url('"]')}`;

test.each([
  ['would forge the end of a stream', forged, 'after'],
  ['has the mark of no event', ofFirst(0), 'Last-Event-ID'],
  ['is longer than any', ofFirst(7_000), 'after'],
  ['is longer than any', ofFirst(7_000), 'Last-Event-ID'],
])('what %s is no cursor, and is not repeated', async (_case, cursor, field) => {
  const team = await world.team();
  const stream = await openStream(base, team.caller.token);
  await record(team);
  await stream.events(1);
  stream.close();
  // The event is gone, so its mark cannot tell that the cursor is none.
  await world.sql('DELETE FROM activities WHERE company_id = $1', [team.company.companyId]);
  const options =
    field === 'Last-Event-ID'
      ? { lastEventId: cursor }
      : { query: 'subscription ($after: String) { events(after: $after) { id } }', variables: { after: cursor } };
  const refused = await askForStream(base, team.caller.token, options);
  if (refused instanceof OpenStream) refused.close();
  const message = expect.stringMatching(/^is not a cursor of (events: |this list)/);
  expect(refused).toMatchObject({
    status: 400,
    body: { errors: [{ extensions: { code: 'BAD_USER_INPUT', errors: [{ field, message }] } }] },
  });
  await untilNoneIsOpen();
});

test.each([
  ['its document', `subscription { events { id ${'... { id } '.repeat(400)} } }`, {}],
  ['its variables', 'subscription ($after: String) { events(after: $after) { id } }', { more: 'x'.repeat(300_000) }],
])('is refused with 400 if too much would be kept of %s', async (_what, query, variables) => {
  const { caller } = await world.team();
  const message = expect.stringContaining('The subscription is too long');
  const refused = await askForStream(base, caller.token, { query, variables });
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] } });
  await untilNoneIsOpen();
});

/** Opens so many, one after the other. */
async function openSome(token: string, count: number): Promise<OpenStream[]> {
  const streams: OpenStream[] = [];
  onTestFinished(() => {
    for (const stream of streams) stream.close();
  });
  while (streams.length < count) streams.push(await openStream(base, token));
  return streams;
}

const areOpen = (streams: readonly OpenStream[]) => streams.filter(({ isOver }) => !isOver).length;
const tooManyOfToken = {
  status: 429,
  headers: { 'retry-after': expect.any(String) },
  body: { errors: [{ extensions: { code: 'RATE_LIMITED', limit: 'streams' } }] },
};

test('a token has 20 streams, and each that ends makes room', async () => {
  const { caller } = await world.team();
  const streams = await openSome(caller.token, 20);
  expect(await askForStream(base, caller.token)).toMatchObject(tooManyOfToken);
  streams[0]?.close();
  await expect.poll(() => world.streams.open).toBe(19);
  await openSome(caller.token, 1);
});

test('a company has half of the streams of the gateway, and when all are open, everybody else is told so', async () => {
  const [one, two, three] = [await world.team(), await world.team(), await world.team()];
  const colleague = await world.person(one.company);
  const ofOne = [...(await openSome(one.caller.token, 12)), ...(await openSome(colleague.token, 8))];
  for (const { token } of [one.caller, colleague])
    expect(await askForStream(base, token)).toMatchObject(tooManyOfToken);
  const ofTwo = await openSome(two.caller.token, 20);
  expect(await askForStream(base, three.caller.token)).toMatchObject({
    status: 503,
    headers: { 'retry-after': expect.any(String) },
    body: { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
  });
  // Nobody's stream ends for another's.
  expect(areOpen([...ofOne, ...ofTwo])).toBe(40);
  ofOne[0]?.close();
  await expect.poll(() => world.streams.open).toBe(39);
  await openSome(three.caller.token, 1);
});

test('costs the points of what its events select, and waits without points until it has some', async () => {
  const windowSeconds = 3;
  const rateLimiters = createRateLimiters({
    ...{ store: 'memory', databaseUrl: '', windowSeconds, perToken: 3, perAddress: 100, preparedStatements: false },
  });
  const limited = new World(world.db, world.url, { rateLimiters, streaming: { most: 10 } });
  onTestFinished(() => limited.close());
  limited.startDispatcher();
  const team = await world.team();
  const inner =
    'activities(first: 100) { nodes { subject { ... on Goal { activities(first: 28) { nodes { id } } } } } }';
  const costly = `subscription { events { sequence activity { subject { ... on Goal { ${inner} } } } } }`;
  const address = await limited.base();
  const [stream, cheap] = [
    await openStream(address, team.caller.token, { query: costly }),
    await openStream(address, team.caller.readOnlyToken),
  ];
  const opened = performance.now();
  for (const _ of [1, 2, 3, 4]) await record(team);
  const sequences = async (count: number) => (await stream.events(count)).map(({ sequence }) => sequence);
  // The point of the request is for the first, the two that are left for the next.
  expect(await sequences(3)).toEqual([1, 2, 3]);
  expect(performance.now() - opened).toBeLessThan(windowSeconds * 1_000 - 500);
  expect((await cheap.events(4)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  expect((await limited.graphql(team.caller.token, '{ viewer { person { id } } }')).status).toBe(429);
  expect(await sequences(1)).toEqual([4]);
  expect(performance.now() - opened).toBeGreaterThan(windowSeconds * 1_000 - 500);
  for (const each of [stream, cheap]) each.close();
});
