import { once } from 'node:events';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { startServer } from '../../support/server.js';
import { temporaryServer } from '../../support/temporary.js';
import { createWorld, type Json } from '../../support/world.js';

const world = await createWorld();
const { company, caller, space } = await world.team();

const settings = { DATABASE_URL: world.url, HOST: '127.0.0.1', DEMO: 'off', LOG_LEVEL: 'error' };
const server = await temporaryServer(settings);

beforeAll(async () => {
  const parent = await world.goal(space, { name: 'A parent' });
  for (let index = 0; index < 3; index += 1) await world.goal(space, { parentGoalId: parent.id });
  const hub = await world.hub(company, { spaceId: space.id });
  await world.folder(hub);
  await world.document(hub, caller);
});

async function ask(query: string, variables: Json = {}) {
  const response = await fetch(`${server.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${caller.readOnlyToken}` },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

// The children come first: they wait for the count of their parent and then fail. The parent fails at once.
const goals = (selection: string) => `{ goals(orderBy: {field: NAME, direction: DESC}) { ${selection} } }`;
const goal = 'parentGoal { activities { totalCount } } activities(first: -1) { totalCount }';
// The folder comes first.
const hubs = (ofDocument: string) =>
  `{ resourceHubs { nodes { nodes { nodes {
    ... on ResourceHubFolder { nodes { totalCount } bad: nodes(first: -1) { totalCount } }
    ... on ResourceHubDocument { ${ofDocument} }
  } } } } }`;

describe('an item of a list that fails while others are pending', () => {
  test.each([
    ['in a resolver', goals(`nodes { ${goal} }`)],
    ['in an edge', goals(`edges { node { ${goal} } }`)],
    ['in a list below a list', hubs('versions(first: -1) { totalCount }')],
    ['in a directive whose variable is null', `query ($skip: Boolean = false) ${hubs('id @skip(if: $skip)')}`],
  ])('%s is answered, and the process lives', async (_where, query) => {
    const { status, body } = await ask(query, { skip: null });
    expect([200, 400]).toContain(status);
    expect(body.errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:|\.js:/);
    expect((await ask('{ viewer { person { id } } }')).status).toBe(200);
    expect(server.log()).toBe('');
  });

  test('names the bad argument as it does elsewhere', async () => {
    const { body } = await ask(goals(`nodes { ${goal} }`));
    expect(body.errors[0].extensions.errors).toEqual([
      { field: 'first', code: 'too_small', message: 'must be at least 0' },
    ]);
  });
});

const importing = (script: string) => `--import=data:text/javascript,${encodeURIComponent(script)}`;

test.runIf(process.platform === 'linux')('a log that fills its disk is lost, and the process lives', async () => {
  const full = importing("import fs from 'node:fs'; fs.closeSync(2); fs.openSync('/dev/full', 'w');");
  const other = await startServer({ ...settings, LOG_LEVEL: 'info', NODE_OPTIONS: full });
  onTestFinished(() => void other.process.kill('SIGKILL'));
  for (let index = 0; index < 5; index += 1) {
    const { status } = await fetch(`${other.base}/readyz`, { signal: AbortSignal.timeout(5_000) });
    expect(status).toBe(200);
  }
  await other.stop();
  expect(other.process.exitCode).toBe(0);
});

test('a log whose reader stands still is lost, and the process lives, and ends when it is told to', async () => {
  const other = await startServer({ ...settings, LOG_LEVEL: 'info', RATE_LIMIT_PER_ADDRESS: '1000000' });
  onTestFinished(() => void other.process.kill('SIGKILL'));
  other.process.stderr.pause();
  // More than the two sides of a pipe hold.
  for (let sent = 0; sent < 3_000; sent += 50) {
    const some = Array.from({ length: 50 }, () =>
      fetch(`${other.base}/graphql`, { signal: AbortSignal.timeout(20_000) }),
    );
    expect(new Set((await Promise.all(some)).map(({ status }) => status))).toEqual(new Set([401]));
  }
  await other.stop();
  expect(other.process.exitCode).toBe(0);
});

describe('the last defense of a server', () => {
  const faults = `
    process.on('SIGUSR2', () => Promise.reject(new Error('nobody awaits')));
    process.on('SIGWINCH', () => { throw new Error('nobody catches'); });`;
  const faulty = () => startServer({ ...settings, NODE_OPTIONS: importing(faults) });
  const lines = (log: string) => log.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));

  test('logs a rejection that nobody handles, and serves on', async () => {
    const other = await faulty();
    other.process.kill('SIGUSR2');
    await eventually(() =>
      expect(lines(other.log())).toMatchObject([{ level: 50, err: { message: 'nobody awaits' } }]),
    );
    expect((await fetch(`${other.base}/readyz`)).status).toBe(200);
    await other.stop();
    expect(other.process.exitCode).toBe(0);
  });

  test('logs an exception that nobody catches, closes, and exits with 1', async () => {
    const other = await faulty();
    const exited = once(other.process, 'exit');
    other.process.kill('SIGWINCH');
    await exited;
    expect(other.process.exitCode).toBe(1);
    expect(lines(other.log())).toMatchObject([{ level: 60, err: { message: 'nobody catches' } }]);
    await other.stop();
  });
});
