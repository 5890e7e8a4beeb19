import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { check } from '../src/workspace/check.js';
import { marks } from '../src/workspace/format/fields.js';
import { workspace } from '../src/workspace/format/workspace.js';
import { unwrap } from '../src/workspace/problems.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const section = readme.split('## Importing your own data')[1]?.split('\n## ')[0] ?? '';

/** A line of Markdown for each record of the format: what must be given, what may be left out, and what each is. */
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
    const table = `| Field | Type | Required | |\n|---|---|---|---|\n${rows.join('\n')}`;
    if (done.has(table)) return;
    done.add(table);
    if (path !== '') parts.push(`**\`${name}\`**\n\n${table}`);
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
  if (schema instanceof z.ZodISODateTime) return 'timestamp';
  if (schema instanceof z.ZodISODate) return 'date';
  if (schema instanceof z.ZodNumber) return schema.format === null ? 'number' : 'integer';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodArray) return 'list';
  return schema instanceof z.ZodObject ? 'record' : 'string';
}

it('the README describes the import format as it is', () => {
  const tables = formatTables();
  if (process.env.PRINT_FORMAT) console.log(tables);
  expect(section, 'PRINT_FORMAT=1 npx vitest run importReadme prints the tables').toContain(tables);
});

it('the example of the README is a workspace', () => {
  const [, example = ''] = /```json\n(.*?)\n```/s.exec(section) ?? [];
  expect(check(JSON.parse(example)).workspace.documents).toHaveLength(1);
});
