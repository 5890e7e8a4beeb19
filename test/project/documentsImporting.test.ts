import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openModels } from '../../src/database.js';
import { marks, said } from '../../src/workspace/format/fields.js';
import { workspace } from '../../src/workspace/format/workspace.js';
import { importDocument } from '../../src/workspace/import.js';
import { ImportError } from '../../src/workspace/report.js';
import { unwrap } from '../../src/workspace/rows.js';
import { createDatabase } from '../support/database.js';
import { blocksOf, pathOf, textOf, withGenerated } from '../support/documents.js';

const page = textOf('docs/import-format.md');
const guide = textOf('docs/importing.md');

const { url, drop } = await createDatabase();
const db = openModels({ url, poolSize: 1, preparedStatements: false });
afterAll(async () => {
  await db.$disconnect();
  await drop();
});

/** A table for each record of the format: its fields, which of them are required, and what they mean. */
function formatTables(): string {
  const parts: string[] = [];
  const done = new Set<string>();
  const record = (path: string, wrapped: z.core.$ZodType) => {
    const schema = unwrap(wrapped);
    const inner = schema instanceof z.ZodArray ? unwrap(schema.element) : schema;
    if (!(inner instanceof z.ZodObject)) return;
    const fields = Object.entries<z.ZodType>(inner.shape);
    const name = schema instanceof z.ZodArray ? `${path}[]` : path;
    const rows = fields.map(
      ([field, type]) => `| \`${field}\` | ${typeName(type)} | ${isRequired(type) ? 'yes' : ''} | ${about(type)} |`,
    );
    const table = `| Field | Type | Required | Meaning |\n|---|---|---|---|\n${rows.join('\n')}`;
    if (done.has(table)) return;
    done.add(table);
    parts.push(`### ${path === '' ? 'The file' : `\`${name}\``}\n\n${table}`);
    for (const [field, type] of fields) record(path === '' ? field : `${name}.${field}`, type);
  };
  record('', workspace);
  return parts.join('\n\n');
}

const isRequired = (schema: z.ZodType) => !schema.safeParse(undefined).success;

function about(schema: z.core.$ZodType): string {
  const here = z.globalRegistry.get(schema)?.description;
  if (here !== undefined) return here;
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) return about(schema.unwrap());
  return schema instanceof z.ZodPipe ? about(schema.in) : '';
}

function typeName(wrapped: z.core.$ZodType): string {
  const schema = unwrap(wrapped);
  const mark = schema instanceof z.ZodType ? marks.get(schema) : undefined;
  if (mark && 'refersTo' in mark) return `id in \`${mark.refersTo.replace('resource_hub_', '')}\``;
  if (mark?.column === 'id') return 'id';
  if (schema instanceof z.ZodEnum) return schema.options.map((value) => `\`${value}\``).join(' ');
  if (schema instanceof z.ZodLiteral) return 'level';
  const { format } = (schema instanceof z.ZodType && said.get(schema)) || {};
  if (format !== undefined) return format === 'date' ? 'date' : 'timestamp';
  if (schema instanceof z.ZodNumber) return schema.format === null ? 'number' : 'integer';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodArray) return 'list';
  return schema instanceof z.ZodObject ? 'record' : 'string';
}

test('docs/import-format.md has the fields of the format; npm run schema writes them', async () => {
  await expect(withGenerated(page, 'fields', formatTables())).toMatchFileSnapshot(pathOf('docs/import-format.md'));
});

describe('an example of docs/import-format.md', () => {
  const examples = blocksOf(page, 'json').map((text) => JSON.parse(text));

  test.each(examples)('is a workspace', async (example) => {
    const name = example.company.name;
    const company = { ...example.company, id: `example ${examples.indexOf(example)}` };
    expect(name).toBe('Acme');
    expect(await importDocument(db, { ...example, company })).toMatchObject({ companies: 1 });
  });

  test('with a few mistakes has the problems that the page shows', async () => {
    const [workspace] = structuredClone(examples);
    workspace.people[1] = { id: 'ben', full_name: 'Ben Example', fullname: 'Ben' };
    workspace.documents[0].versions[1].version_number = 3;
    workspace.goals[0].reviewer_id = 'product';
    const [shown = ''] = blocksOf(guide, 'text');
    const refusal = await importDocument(db, workspace).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ImportError);
    expect(`goalpost: ${(refusal as ImportError).message}`).toBe(shown.trim());
  });
});
