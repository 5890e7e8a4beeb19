import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openModels } from '../../../src/database.js';
import { eventSource } from '../../../src/events/source.js';
import { numberEvents } from '../../../src/platform/outbox/sequence.js';
import { createToken } from '../../../src/tokens.js';
import { createDatabase } from '../../support/database.js';
import { textOf } from '../../support/documents.js';
import { commandOutput } from '../../support/goalpost.js';
import { preparedStatements } from '../../support/pgbouncer.js';
import { knownTo, openRandomDemo } from '../../support/randomDemo.js';
import { randomRequest } from '../../support/randomQueries.js';
import { seedOf } from '../../support/seedOf.js';
import { mutation } from '../../support/surfaces.js';
import { type Json, World } from '../../support/world.js';

const schema = buildSchema(textOf('schema.graphql'));
const requests = Number(process.env.EXPORT_REQUESTS ?? 150);
/** How deep the selections of the first person are; those of others are less. */
const levels = 3;

/** What a copy answers otherwise, and why. */
const differing: Record<string, string> = {
  'ApiToken.id': 'tokens are not exported: each gateway has its own',
  'ApiToken.lastFour': 'tokens are not exported: each gateway has its own',
  'ApiToken.insertedAt': 'tokens are not exported: each gateway has its own',
  'ApiToken.lastUsedAt': 'tokens are not exported: each gateway has its own',
  'Activity.surface': 'over which surface a token wrote it, as with the token',
  'Activity.token': 'tokens are not exported: nobody can tell there which one it was',
  'Activity.origin': 'who has written it there: the import',
  'Event.origin': 'who has written it there: the import',
  'Event.body': 'has origin and sequence',
  'Event.sequence': 'events are numbered again from 1',
  'EventEdge.cursor': 'has the sequence',
  'Query.webhook': 'webhooks are not exported',
  'Query.webhooks': 'webhooks are not exported',
};

const isLeft = (type: GraphQLNamedType, { name }: GraphQLField<unknown, unknown>) =>
  `${type.name}.${name}` in differing;

/** Every field of a type, to some depth. */
function selectionOf(type: GraphQLNamedType, left: number): string {
  if (isAbstractType(type))
    return `__typename ${schema.getPossibleTypes(type).map((of) => `... on ${of.name} { ${aliased(of, left)} }`)}`;
  if (!isObjectType(type)) return '';
  return `__typename ${fieldsOf(type, left)
    .map(({ text }) => text)
    .join(' ')}`;
}

/** Members of a union may have fields of one name and different types. */
const aliased = (type: GraphQLNamedType, left: number) =>
  fieldsOf(type, left)
    .map(({ name, text }) => `${type.name}_${name}: ${text}`)
    .join(' ');

function fieldsOf(type: GraphQLNamedType, left: number): { name: string; text: string }[] {
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => {
    if (isLeft(type, field) || field.args.some(isRequiredArgument)) return [];
    const of = getNamedType(field.type);
    if (!isCompositeType(of)) return [{ name: field.name, text: field.name }];
    // An edge leads to the nodes, which are selected beside it.
    if (left === 0 || field.name === 'edges') return [];
    const isPage = of.name.endsWith('Connection');
    const size = field.args.some(({ name }) => name === 'first') ? `(first: ${left === levels ? 20 : 5})` : '';
    return [{ name: field.name, text: `${field.name}${size} { ${selectionOf(of, isPage ? left : left - 1)} }` }];
  });
}

interface Copy {
  world: World;
  url: string;
}

async function openCopy(): Promise<Copy> {
  const { url, gatewayUrl, drop } = await createDatabase();
  const queryLimits = { complexity: 10_000_000, tokens: 100_000, depth: 30, aliases: 10_000, repetitions: 10_000 };
  const db = openModels({ url: gatewayUrl, poolSize: 10, preparedStatements });
  const world = new World(db, gatewayUrl, { queryLimits });
  afterAll(async () => {
    await world.close();
    await drop();
  });
  return { world, url };
}

const seed = seedOf('EXPORT_SEED');
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'goalpost-copy-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Changes of operations, which are in the history of both. */
async function operate(world: World, token: string): Promise<void> {
  const lists = '{ goals(first: 50) { nodes { id closedAt } } resourceHubs(first: 20) { nodes { id } } }';
  const { data } = (await world.graphql(token, lists)).body;
  for (const { id } of data.goals.nodes.filter(({ closedAt }: Json) => closedAt).slice(0, 2))
    await world.graphql(token, mutation('reopenGoal', 'activity { id }'), { input: { id, message: 'Not yet' } });
  const rows = await world.sql(
    `SELECT (SELECT max(id) FROM resource_hub_files WHERE deleted_at IS NULL) AS file,
      (SELECT max(document_id) FROM document_versions WHERE version_number = 2) AS document`,
  );
  const [{ file, document }] = rows as [Json];
  await world.graphql(token, mutation('deleteResourceHubFile', 'activity { id }'), { input: { id: file } });
  await world.graphql(token, mutation('restoreDocumentVersion', 'activity { id }'), {
    input: { documentId: document, versionNumber: 1 },
  });
}

/** Values of the arguments that a field requires, of all records that it may be about. */
function* argumentsOf(field: GraphQLField<unknown, unknown>, ids: readonly string[]): Generator<Json> {
  if (!field.args.some(isRequiredArgument)) yield {};
  else if (field.name === 'resourceHubNodes') for (const text of ['plan', 'OVER', 'file']) yield { text };
  else
    for (const id of ids)
      if (field.name === 'previewRestoreDocumentVersion') yield { input: { documentId: id, versionNumber: 1 } };
      else if (field.name.endsWith('ResourceHubFile')) yield { input: { fileId: id } };
      else yield field.name.startsWith('preview') ? { input: { id } } : { id };
}

describe('the copy of the demo', () => {
  const copies: Copy[] = [];
  /** The tokens of each person, here and there. */
  const tokens: [string, string][] = [];

  beforeAll(async () => {
    const [here, there] = [await openCopy(), await openCopy()];
    const companyId = 'company-harborlight';
    await openRandomDemo(here.world);
    const owners = await here.world.sql('SELECT id FROM people WHERE is_owner ORDER BY id LIMIT 1');
    const person = (personId: string) => ({ companyId, personId, name: 'Copy', canWrite: true });
    const { token } = await createToken(here.world.db, person((owners as Json)[0].id));
    await operate(here.world, token);
    while ((await numberEvents(here.world.db, eventSource, companyId)).hasMore);
    const file = join(directory, `${companyId}.ndjson`);
    await commandOutput(['export', file, '--company', companyId, '--links'], { DATABASE_URL: here.url });
    await commandOutput(['import', file], { DATABASE_URL: there.url });
    const people = await here.world.sql('SELECT id FROM people WHERE suspended_at IS NULL ORDER BY id');
    for (const { id } of people as Json[]) {
      const [one, other] = [here, there].map(({ world }) => createToken(world.db, person(id)));
      tokens.push([(await one)?.token ?? '', (await other)?.token ?? '']);
    }
    copies.push(here, there);
  });

  async function compare(query: string, variables: Json, pair: [string, string]): Promise<number> {
    const [here, there] = await Promise.all(
      copies.map(async ({ world }, index) => {
        const { data, errors = [] } = (await world.graphql(pair[index] ?? '', query, variables)).body;
        // Errors of fields come in any order.
        const told = errors.map(({ extensions: { requestId: _, ...extensions }, ...error }: Json) =>
          JSON.stringify({ ...error, extensions }),
        );
        return { data, errors: told.sort() };
      }),
    );
    expect(there, `${query} ${JSON.stringify(variables)}`).toEqual(here);
    return here?.errors.length === 0 ? 1 : 0;
  }

  test('answers every field of every query with the same, whoever asks', async () => {
    const query = schema.getQueryType();
    const fields = Object.values(query?.getFields() ?? {}).filter((field) => query && !isLeft(query, field));
    const { ids } = await knownTo(copies[0]?.world as World, tokens[0]?.[0] ?? '');
    const answered = new Map<string, number>();
    for (const [who, pair] of tokens.entries())
      for (const field of fields) {
        const parameters = field.args.filter(isRequiredArgument);
        const head = parameters.map(({ name, type }) => `$${name}: ${type}`).join(', ');
        const pass = parameters.map(({ name }) => `${name}: $${name}`);
        if (field.args.some(({ name }) => name === 'first')) pass.push('first: 20');
        const selected = selectionOf(getNamedType(field.type), who === 0 ? levels - 1 : 1);
        const text = `query${head && `(${head})`} { ${field.name}${pass.length > 0 ? `(${pass.join(', ')})` : ''} { ${selected} } }`;
        for (const variables of argumentsOf(field, ids)) {
          const count = await compare(text, variables, pair);
          answered.set(field.name, (answered.get(field.name) ?? 0) + count);
        }
      }
    // A field that never answers would prove nothing.
    expect(fields.map(({ name }) => name).filter((name) => !answered.get(name))).toEqual([]);
  }, 600_000);

  test(`answers ${requests} random queries with the same (EXPORT_SEED=${seed})`, async () => {
    const known = await knownTo(copies[0]?.world as World, tokens[0]?.[0] ?? '');
    const left = new RegExp(
      `\\b(${Object.keys(differing)
        .map((name) => name.replace(/.*\./, ''))
        .join('|')}|exceptOrigins)\\b`,
    );
    const property = fc.asyncProperty(fc.gen(), fc.nat({ max: tokens.length - 1 }), async (draw, who) => {
      const { query, variables } = randomRequest(schema, known, 'query', draw);
      fc.pre(!left.test(query.replaceAll(/\bid\b|insertedAt/g, '')));
      await compare(query, variables, tokens[who] as [string, string]);
    });
    await fc.assert(property, { seed, numRuns: requests });
  }, 600_000);
});
