import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { workspaceSchema } from '../../src/workspace/format/jsonSchema.js';
import { pathOf } from '../support/documents.js';
import { smallWorkspace } from '../support/smallWorkspace.js';
import type { Json } from '../support/world.js';

const demo = readFileSync(pathOf('prisma/demo-workspace.json'), 'utf8');

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
formats.default(ajv);
const validate = ajv.compile(workspaceSchema());

/** Where the schema finds fault with a document. */
function faultsOf(document: Json): string[] {
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function changed(change: (document: Json) => void): Json {
  const document = structuredClone(smallWorkspace()) as Json;
  change(document);
  return document;
}

describe('the JSON Schema of the import file', () => {
  test('accepts the demo workspace', () => {
    expect(faultsOf(JSON.parse(demo))).toEqual([]);
  });

  test('accepts a small workspace, with the address of the schema in it', () => {
    expect(faultsOf(changed((it) => Object.assign(it, { $schema: './goalpost.schema.json' })))).toEqual([]);
  });

  test.each<[string, (document: Json) => void, string]>([
    [
      'an unknown field',
      (it) => Object.assign(it.goals[0], { titel: '' }),
      '/goals/0 must NOT have additional properties',
    ],
    ['a missing field', (it) => delete it.people[0].full_name, "/people/0 must have required property 'full_name'"],
    [
      'an empty name',
      (it) => Object.assign(it.spaces[0], { name: '' }),
      '/spaces/0/name must NOT have fewer than 1 characters',
    ],
    ['null for a name', (it) => Object.assign(it.spaces[0], { name: null }), '/spaces/0/name must be string'],
    [
      'an unknown value',
      (it) => Object.assign(it.documents[0], { state: 'DRAFT' }),
      '/documents/0/state must be equal to one of the allowed values',
    ],
    [
      'a level off the ladder',
      (it) => Object.assign(it.spaces[0].access[0], { level: 50 }),
      '/spaces/0/access/0/level must be equal to one of the allowed values',
    ],
    [
      'a time without an offset',
      (it) => Object.assign(it.company, { inserted_at: '2026-01-01T09:00:00' }),
      '/company/inserted_at must match format "date-time"',
    ],
    [
      'no time at all',
      (it) => Object.assign(it.company, { inserted_at: 'today' }),
      '/company/inserted_at must match format "date-time"',
    ],
    [
      'a string for a number',
      (it) => Object.assign(it.goals[0].targets[0], { to: '9' }),
      '/goals/0/targets/0/to must be number',
    ],
  ])('refuses %s and says where', (_what, change, fault) => {
    expect(faultsOf(changed(change))).toContain(fault);
  });

  test('describes every field, at the field itself', () => {
    const silent: string[] = [];
    const visit = (schema: Json, path: string): void => {
      for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) {
        if (!field.description) silent.push(`${path}/${name}`);
        visit(field, `${path}/${name}`);
      }
      for (const inner of [schema.items, ...(schema.anyOf ?? [])]) if (inner) visit(inner, path);
    };
    visit(workspaceSchema(), '');
    expect(silent).toEqual([]);
  });

  test('is the same each time it is printed', () => {
    expect(JSON.stringify(workspaceSchema())).toBe(JSON.stringify(workspaceSchema()));
  });
});
