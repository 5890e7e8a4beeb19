import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { capitalized, previewOf } from '../../src/operations/declaration.js';
import { Agent } from '../support/agent.js';
import { operations, operationsUnderTest, recordOf } from '../support/operations.js';
import { mutation, snakeKeys } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { company, caller, space } = await world.team();
const closer = await world.person(company, { fullName: 'Closer' });
const agent = new Agent(world, caller.token);
const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

const kinds = {
  goal: { type: 'Goal', lookUp: 'goal' },
  file: { type: 'ResourceHubFile', lookUp: 'resourceHubFile' },
  document: { type: 'ResourceHubDocument', lookUp: 'resourceHubDocument' },
} as const;

/** Every field of a record but its lists: who is subscribed and notified is in lists of previews, too. */
function selectionOf(name: string, depth = 2): string {
  const fields = Object.values((schema.getType(name) as GraphQLObjectType).getFields()).flatMap((field) => {
    const type = getNamedType(field.type);
    if (isListType(getNullableType(field.type)) || /Connection$/.test(type.name)) return [];
    if (field.args.some(({ name: argument }) => argument !== 'page')) return [];
    if (isObjectType(type)) return depth > 0 ? [`${field.name} { ${selectionOf(type.name, depth - 1)} }`] : [];
    return isScalarType(type) || isEnumType(type) ? [field.name] : [];
  });
  return ['__typename', ...fields].join(' ');
}

async function read(document: string, variables: Json = {}): Promise<Json> {
  const { body } = await world.graphql(caller.token, document, variables);
  expect(body.errors, JSON.stringify(body.errors)).toBeUndefined();
  return body.data;
}

/** A record as GraphQL shows it; a deleted file is in a list of such. */
async function recordNow(kind: keyof typeof kinds, id: string): Promise<Json> {
  const { lookUp, type } = kinds[kind];
  const { body } = await world.graphql(
    caller.token,
    `query ($id: ID!) { found: ${lookUp}(id: $id) { ${selectionOf(type)} } }`,
    {
      id,
    },
  );
  if (body.data?.found || kind !== 'file') return body.data.found;
  const { deletedFiles } = await read(`{ deletedFiles(first: 100) { nodes { ${selectionOf(type)} } } }`);
  return deletedFiles.nodes.find((file: Json) => file.id === id);
}

/** Without numbers, and with times only as such: those of the change follow by themselves. */
const plain = (record: Json): Json =>
  JSON.parse(
    JSON.stringify(record, (name, value) => {
      if (typeof value === 'number' || name === 'updatedAt') return undefined;
      return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? 'a time' : value;
    }),
  );

const camelKeys = (input: Json): Json =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()), value]),
  );

/** What a preview takes of the input of its mutation. */
function inputOf(operation: string, input: Json): Json {
  const type = schema.getType(`${capitalized(previewOf(operation))}Input`) as GraphQLInputObjectType;
  return Object.fromEntries(Object.entries(input).filter(([name]) => name in type.getFields()));
}

/** Previews a change, makes it, and compares what a reader sees; returns its activity. */
async function compare(operation: (typeof operations)[number], kind: keyof typeof kinds, id: string, input: Json) {
  const preview = previewOf(operation);
  const asked = inputOf(operation, input);
  const before = plain(await recordNow(kind, id));
  const shown = await read(
    `query ($input: ${capitalized(preview)}Input!) { ${preview}(input: $input) { after { ... on ${kinds[kind].type} { ${selectionOf(kinds[kind].type)} } } } }`,
    { input: asked },
  );
  const { preview: seen } = await agent.data('preview_change', { [snake(operation)]: snakeKeys(asked) });
  const { [operation]: made } = await read(mutation(operation, 'activity { id }'), { input });
  const after = plain(await recordNow(kind, id));
  expect(after).not.toEqual(before);
  expect(plain(shown[preview].after)).toEqual(after);
  const [old, changed] = [snakeKeys(before), snakeKeys(after)];
  const hidden = Object.keys(changed).filter(
    (name) => JSON.stringify(old[name]) !== JSON.stringify(changed[name]) && !names(seen, name, changed[name]),
  );
  expect(hidden).toEqual([]);
  return made.activity.id as string;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Whether an agent is shown a field with its new value; of a text, the difference, which has fields of its own. */
function names(preview: Json, name: string, value: Json): boolean {
  const { after = {}, difference = {} } = preview;
  if (name === 'content' || name === 'readable_text') return difference.content !== undefined;
  if (name === 'name' && difference.title) return true;
  const shown = plain(after)[name];
  if (typeof value === 'object' && value) return shown?.id === value.id;
  return typeof value === 'string' ? String(shown).toLowerCase() === value.toLowerCase() : shown === value;
}

describe.each(operations.filter((operation) => operation !== 'undoChange'))('%s', (operation) => {
  test.each([true, false])(
    'a preview shows each field that a reader sees changed, and so does that of taking it back (%s)',
    async (success) => {
      const input = camelKeys(await operationsUnderTest[operation].input(world, { company, space, caller }));
      const kind = recordOf(operation);
      const id = input.id ?? input.fileId ?? input.documentId;
      if (kind === 'goal')
        await world.sql('UPDATE goals SET success = $2, closed_by_id = $3 WHERE id = $1', [id, success, closer.id]);
      else if (kind === 'file')
        await world.sql('UPDATE resource_hub_files SET deleted_by_id = $2 WHERE id = $1 AND deleted_at IS NOT NULL', [
          id,
          closer.id,
        ]);
      const activityId = await compare(operation, kind, id, input);
      await compare('undoChange', kind, id, { activityId });
    },
  );
});
