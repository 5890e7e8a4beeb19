import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../../src/errors/catalogue.js';
import { textOf } from '../../support/documents.js';
import { requireDescribed } from '../../support/openapiValidator.js';
import { knownTo, openRandomDemo } from '../../support/randomDemo.js';
import type { Known } from '../../support/randomQueries.js';
import { seedOf } from '../../support/seedOf.js';
import { startServer } from '../../support/server.js';
import { timeLimit } from '../../support/timeLimit.js';
import { createWorld, type Json, type World } from '../../support/world.js';
import { graphqlRequests, restRequests } from './fuzz/requests.js';
import { type FuzzAnswer, type Fuzzed, send } from './fuzz/send.js';

const inside = /node_modules|\.[cm]?[jt]s:\d+|prisma|\n {4}at |\/(?:home|root|usr|tmp|var)\//i;
const isPage = /^(?:text\/(?:html|css|javascript|plain)|image\/)/;
const isGraphql = /^application\/graphql-response\+json/;

/** Fails if an answer is not what every answer must be, whatever was asked. */
function requireAnswer({ method, target }: Fuzzed, { status, headers, text }: FuzzAnswer): void {
  const wrong = (what: string): never => {
    throw new Error(`${what}: ${status} ${JSON.stringify([...headers])} ${text.slice(0, 1000)}`);
  };
  if (status < 200 || status >= 500) wrong('a status that must not be');
  if (!/^[\w.:/+=-]{1,128}$/.test(headers.get('x-request-id') ?? '')) wrong('no request id');
  const type = headers.get('content-type') ?? '';
  if (!isPage.test(type) && inside.test(`${text}${JSON.stringify([...headers])}`)) wrong('the insides');
  if (text === '' || isPage.test(type)) return;
  if (!/\bjson\b/.test(type)) wrong(`a body of the type "${type}"`);
  const body: Json = parsed(text) ?? wrong('no JSON');
  // A path of the API is the same with a slash at its end.
  const pathname = target.replace(/[?#].*/s, '').replace(/(?<=.)\/$/, '');
  const maySpeakGraphql = ['/graphql', ''].includes(pathname) && /^application\/json/.test(type) && !('code' in body);
  // A batch is refused once for each operation in it.
  const answers: Json[] = [body].flat();
  const isForGraphql =
    isGraphql.test(type) || (maySpeakGraphql && answers.every((each) => 'data' in each || 'errors' in each));
  if (isForGraphql) for (const each of answers) requireGraphql(each, wrong);
  else requireDescribed({ method, path: knownPath(pathname), status, headers, body });
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const knownPath = (path: string) => (/^\/[\w/.]*$/.test(path) && !path.startsWith('//') ? path : '/not/known');

function requireGraphql(body: Json, wrong: (what: string) => never): void {
  const { data, errors, extensions, ...more } = body;
  if (Object.keys(more).length > 0) wrong('members that GraphQL does not know');
  if (data === undefined && errors === undefined) wrong('neither data nor errors');
  if (errors !== undefined && !(Array.isArray(errors) && errors.length > 0)) wrong('no list of errors');
  for (const { message, extensions: facts } of errors ?? []) {
    const entry = catalogue[facts?.code as keyof typeof catalogue];
    if (typeof message !== 'string' || typeof facts?.requestId !== 'string' || !entry)
      wrong('an error without its parts');
    if (entry.status >= 500) wrong('an unexpected error');
  }
}

/**
 * A number for each table that changes when any row does, apart from a token's last use, kept outcomes, counts,
 * and the numbers of events, which are given some time after a change.
 */
async function fingerprint(world: World): Promise<Json> {
  const tables = await world.sql(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('_prisma_migrations', 'api_tokens', 'idempotency_keys', 'rate_limits')",
  );
  const sums = tables.map(
    ({ name }: Json) =>
      `SELECT '${name}' AS name, sum(hashtextextended((to_jsonb(t) - '{sequence,last_sequence}'::text[])::text, 0))::text AS sum FROM ${name} t`,
  );
  const rows = await world.sql(sums.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}

const count = Number(process.env.FUZZ_REQUESTS ?? 300);
const seed = seedOf('FUZZ_SEED');
const atOnce = 16;

const world = await createWorld();
const schema = buildSchema(textOf('schema.graphql'));
const openApi = JSON.parse(textOf('openapi.json'));
let server: Awaited<ReturnType<typeof startServer>>;
let tokens: { write: string; readOnly: string };
let known: Known;
let unchanged: Json;

const start = () =>
  startServer({
    DATABASE_URL: world.url,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_TOKEN: '1000000000',
    RATE_LIMIT_PER_ADDRESS: '1000000000',
    MAX_CONCURRENT_REQUESTS: '1000',
    DATABASE_TIMEOUT_MS: '60000',
    DATABASE_STATEMENT_TIMEOUT_MS: '0',
  });

beforeAll(async () => {
  tokens = await openRandomDemo(world);
  known = await knownTo(world, tokens.readOnly);
  server = await start();
  unchanged = await fingerprint(world);
});
afterAll(() => server.stop());

const megabytes = () =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]) / 1024);

/** Sends what was drawn at the same time. Fails if an answer is wrong, or if the server or the data are not well after it. */
async function check(drawn: Fuzzed[], statuses: Record<string, number>): Promise<void> {
  if (server.process.exitCode !== null) server = await start();
  const logged = server.log().length;
  const port = Number(new URL(server.base).port);
  const given: number[] = [];
  // All of them come to an end, also if one fails, so that none is left over for the next time.
  const ends = await Promise.allSettled(
    drawn.map(async (request) => {
      const answer = await send(port, request);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      requireAnswer(request, answer);
      given.push(answer.status);
    }),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  expect([server.process.exitCode, server.log().slice(logged)]).toEqual([null, '']);
  const [before, now] = [unchanged, await fingerprint(world)];
  unchanged = now;
  const changed = Object.keys(now).filter((table) => now[table] !== before[table]);
  if (!given.includes(200) && changed.length > 0) throw new Error(`answered ${given}, and changed ${changed}`);
}

/** Draws requests until about as many are sent as wanted, and reports what came back. */
async function fuzz(kind: string, requests: fc.Arbitrary<Fuzzed>): Promise<void> {
  let sent = 0;
  const [statuses, sizes]: [Record<string, number>, number[]] = [{}, []];
  const property = fc.asyncProperty(
    fc.array(requests, { minLength: 1, maxLength: atOnce, size: 'max' }),
    async (drawn) => {
      sent += drawn.length;
      if (sent >= sizes.length * 1000 && sizes.push(megabytes()) > 1)
        console.log(`fuzz: ${sent} ${kind} requests so far, ${sizes.at(-1)} MB`);
      await check(drawn, statuses).catch((error: Error) => {
        throw new Error(
          `${error.message}\n${JSON.stringify(drawn.map(({ body, ...request }) => ({ ...request, body: body?.toString('latin1').slice(0, 3000) })))}`,
        );
      });
    },
  );
  const numRuns = Math.ceil((count * 2) / atOnce);
  await fc.assert(property, { seed, numRuns, ...timeLimit(30_000 + count * 200) });
  console.log(
    `fuzz: ${sent} ${kind} requests, FUZZ_SEED=${seed}, ${JSON.stringify(statuses)}, MB at each 1,000: ${sizes}`,
  );
}

describe(`about ${count} random requests are answered as each must be, and refused ones change nothing:`, () => {
  const limit = 60_000 + count * 200;
  test('REST, from the OpenAPI document', () => fuzz('REST', restRequests(openApi, known, tokens)), limit);
  test('GraphQL, from the schema', () => fuzz('GraphQL', graphqlRequests(schema, known, tokens)), limit);
});
