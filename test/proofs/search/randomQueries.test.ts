import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../../src/errors/catalogue.js';
import { textOf } from '../../support/documents.js';
import { knownTo, openRandomDemo } from '../../support/randomDemo.js';
import { type Known, type RandomRequest, randomRequest } from '../../support/randomQueries.js';
import { seedOf } from '../../support/seedOf.js';
import { startServer } from '../../support/server.js';
import { timeLimit } from '../../support/timeLimit.js';
import { createWorld, type Json } from '../../support/world.js';

const count = Number(process.env.RANDOM_QUERIES ?? 250);
const seed = seedOf('RANDOM_SEED');
const millisecondsEach = 1000;

const world = await createWorld();
const schema = buildSchema(textOf('schema.graphql'));
let server: Awaited<ReturnType<typeof startServer>>;
let tokens: { write: string; readOnly: string };
let known: Known;
const statuses: Record<string, number> = {};

const start = () =>
  startServer({
    QUERY_MAX_COMPLEXITY: '100000',
    DATABASE_URL: world.url,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    RATE_LIMIT_PER_TOKEN: '1000000000',
    DATABASE_TIMEOUT_MS: '60000', // the machine that runs the tests may be slow
    DATABASE_STATEMENT_TIMEOUT_MS: '0',
  });

beforeAll(async () => {
  tokens = await openRandomDemo(world);
  server = await start();
  known = await knownTo(world, tokens.readOnly);
});
afterAll(() => server.stop());

async function send(request: RandomRequest, token = tokens.readOnly) {
  const response = await fetch(`${server.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(request),
  });
  return { status: response.status, text: await response.clone().text(), body: (await response.json()) as Json };
}

async function check(request: RandomRequest, token: string): Promise<void> {
  if (server.process.exitCode !== null) server = await start();
  const logged = server.log().length;
  const { status, text, body } = await send(request, token);
  statuses[status] = (statuses[status] ?? 0) + 1;
  expect(status).toBeLessThan(500);
  expect(text).not.toMatch(/node_modules|\.[jt]s:\d+|prisma/i);
  expect(body.data === undefined || typeof body.data === 'object').toBe(true);
  expect(body.data ?? body.errors).toBeTruthy();
  for (const { message, extensions } of body.errors ?? []) {
    expect([typeof message, typeof extensions.requestId]).toEqual(['string', 'string']);
    expect(Object.keys(catalogue)).toContain(extensions.code);
    expect(catalogue[extensions.code as keyof typeof catalogue].status).toBeLessThan(500);
  }
  // A promise that nobody awaits may be rejected after the answer; this request runs SQL after it.
  const { status: ready } = await fetch(`${server.base}/readyz`);
  const errors = server
    .log()
    .slice(logged)
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect([ready, errors]).toEqual([200, []]);
}

test(
  `${count} random requests are answered without a 5xx, a stack or an unhandled rejection (RANDOM_SEED=${seed})`,
  async () => {
    const property = fc.asyncProperty(fc.nat({ max: 9 }), fc.gen(), async (dice, draw) => {
      const kind = dice === 9 ? 'mutation' : 'query';
      const request = randomRequest(schema, known, kind, draw);
      await check(request, kind === 'mutation' ? tokens.write : tokens.readOnly).catch((error: Error) => {
        throw new Error(`${JSON.stringify(request)}\n${error.message}`);
      });
    });
    await fc.assert(property, { seed, numRuns: count, ...timeLimit(30_000 + count * millisecondsEach) });
    expect(server.process.exitCode).toBeNull();
    console.log(`random requests by status, with RANDOM_SEED=${seed}: ${JSON.stringify(statuses)}`);
  },
  60_000 + count * millisecondsEach,
);
