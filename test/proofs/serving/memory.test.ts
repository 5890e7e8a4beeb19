import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { typeFor } from '../../../src/platform/graphql/responding.js';
import { requireAcceptable } from '../../../src/platform/http/request.js';
import { Client } from '../../support/client.js';
import { builtMain } from '../../support/goalpost.js';
import { createWorld, restPaths } from '../../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
for (let index = 0; index < 50; index += 1) await world.goal(space, { name: `Goal ${index}` });

/** What the collections of young objects have found, in bytes, from when `reset` was called. */
interface Found {
  allocated: number;
  promoted: number;
}

/** The built gateway in a process that says what each collection of garbage has done. */
async function tracedGateway() {
  const child = spawn(process.execPath, ['--trace-gc-nvp', builtMain, 'serve'], {
    env: {
      ...process.env,
      ...{ DATABASE_URL: world.url, PORT: '0', LOG_LEVEL: 'error' },
      ...{ RATE_LIMIT_PER_TOKEN: '1000000', RATE_LIMIT_PER_ADDRESS: '1000000' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  let found: Found = { allocated: 0, promoted: 0 };
  const base = await new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('{')) resolve(new URL(JSON.parse(line).graphql).origin);
      if (!/ gc=s /.test(line)) return;
      const numberOf = (name: string) => Number(new RegExp(` ${name}=(\\d+)`).exec(line)?.[1] ?? 0);
      found.allocated += numberOf('allocated');
      found.promoted += numberOf('promoted');
    });
  });
  const reset = () => {
    found = { allocated: 0, promoted: 0 };
  };
  return { client: new Client(base), found: () => found, reset };
}

const page = '{ goals(first: 50) { nodes { id name status progressPercentage champion { id fullName } updatedAt } } }';
const requests = {
  'a page': (client: Client) => client.graphql(caller.token, page),
  'an unknown token, in GraphQL': (client: Client) => client.graphql('gp_unknown', page),
  'an unknown token, in REST': (client: Client) => client.post(restPaths.reopenGoal, 'gp_unknown', { id: 'x' }),
  'a goal that does not exist': (client: Client) => client.post(restPaths.reopenGoal, caller.token, { id: 'x' }),
};

// An object that V8 creates in old space, such as a function that is assigned to a property where it is written, keeps
// all that it leads to until the next full collection, and so do the values of a WeakMap for a while.
test.each(Object.entries(requests))('what %s has taken is free when it has ended', async (_name, send) => {
  const { client, found, reset } = await tracedGateway();
  const run = async (most: number) => {
    while (found().allocated < most) await Promise.all(Array.from({ length: 8 }, () => send(client)));
  };
  // What is compiled and remembered stays.
  await run(200_000_000);
  reset();
  await run(100_000_000);
  const { allocated, promoted } = found();
  // Of a page .08; what stays until a full collection makes it several times as much.
  expect(promoted / allocated).toBeLessThan(0.1);
});

test('little is kept of long Accept headers, which anybody can send', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  for (let index = 0; index < 100; index += 1) {
    const accept = `application/json${`,${index}/a`.repeat(3_000)}`;
    requireAcceptable(accept, ['application/json']);
    expect(typeFor(accept)).toBe('application/json');
  }
  expect(heap() - before).toBeLessThan(5_000_000);
});
