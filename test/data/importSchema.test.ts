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
});
