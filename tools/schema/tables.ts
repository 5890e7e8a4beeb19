import { readFileSync } from 'node:fs';
import { getNamedType, isObjectType } from 'graphql';
import { z } from 'zod';
import { catalogue, errorCodes, exampleOf } from '../../src/errors/catalogue.js';
import { eventFields, eventTypeOf } from '../../src/events/event.js';
import { previewOf } from '../../src/operations/declaration.js';
import { activityActions, operations } from '../../src/operations/index.js';
import { headersOf } from '../../src/platform/failures/index.js';
import { snakeCase } from '../../src/platform/http/response.js';
import { settingsOf } from '../../src/platform/settings/index.js';
import { actions } from '../../src/rules/activityActions.js';
import { schema } from '../../src/schema.js';
import { sections } from '../../src/settings.js';
import { webhookHeaders } from '../../src/webhooks/index.js';
import { marks } from '../../src/workspace/format/fields.js';
import { workspace } from '../../src/workspace/format/workspace.js';
import { unwrap } from '../../src/workspace/rows.js';

const tableOf = (heads: string[], rows: string[][]) =>
  [heads, heads.map(() => '---'), ...rows]
    .map((cells, index) => (index === 1 ? `|${cells.join('|')}|` : `| ${cells.join(' | ')} |`))
    .join('\n');

function errorTable(): string {
  const where = { declared: 'operations that declare it', method: 'wrong method', graphql: 'GraphQL only' };
  const rows = errorCodes.map((code) => {
    const { status, title, occurs, refusesRequest, members: always = {}, optionalMembers = {} } = catalogue[code];
    const names = [...Object.keys(always), ...Object.keys(optionalMembers)];
    const members = names.map((name) => `\`${snakeCase(name)}\`${name in optionalMembers ? '?' : ''}`).join(', ');
    const headers = Object.keys(headersOf(exampleOf(code))).join(', ');
    const shown = `${status}${refusesRequest ? ' kept' : ''}`;
    return [`\`${code}\``, shown, title, members, headers, occurs ? where[occurs] : 'everywhere'];
  });
  return tableOf(['Code', 'Status', 'Title', 'Members', 'Headers', 'Where'], rows);
}

function eventTable(): string {
  const rows = actions.map((action) => {
    const members = eventFields(action)
      .map((member) => `\`${member}\``)
      .join(', ');
    const { description } = activityActions[action];
    return [`\`${eventTypeOf(action)}\``, `\`${action.toUpperCase()}\``, description, members];
  });
  return tableOf(['Type', 'Action', 'What happened', '`data` besides `author_id`'], rows);
}

function headerTable(): string {
  const rows = Object.entries(webhookHeaders).map(([name, { description }]) => [`\`${name}\``, description]);
  return tableOf(['Header', 'What it says'], rows);
}

/** What each preview shows. */
function previewTable(): string {
  const queries = schema.getQueryType()?.getFields() ?? {};
  const rows = operations.map(({ field, title }) => {
    const type = getNamedType(queries[previewOf(field)]?.type);
    const names = isObjectType(type) ? Object.keys(type.getFields()) : [];
    return [`\`${previewOf(field)}\``, title, names.map((name) => `\`${name}\``).join(', ')];
  });
  return tableOf(['Query', 'Operation', 'Shows'], rows);
}

/** A table for each part of the settings. */
const settingTables = () =>
  Object.entries(sections)
    .map(([title, settings]) => {
      const rows = settingsOf(settings).map(({ variable, default: standard, otherwise = 'none', meaning }) => [
        `\`${variable}\``,
        standard ? `\`${standard}\`` : otherwise,
        meaning,
      ]);
      return `### ${title}\n\n${tableOf(['Variable', 'Default', 'Meaning'], rows)}`;
    })
    .join('\n\n');

/** A table for each record of the import format: its fields, which of them are required, and what they mean. */
function formatTables(): string {
  const parts: string[] = [];
  const done = new Set<string>();
  const record = (path: string, wrapped: z.core.$ZodType) => {
    const schema = unwrap(wrapped);
    const inner = schema instanceof z.ZodArray ? unwrap(schema.element) : schema;
    if (!(inner instanceof z.ZodObject)) return;
    const fields = Object.entries<z.ZodType>(inner.shape);
    const name = schema instanceof z.ZodArray ? `${path}[]` : path;
    const rows = fields.map(([field, type]) => [
      `\`${field}\``,
      typeName(type),
      type.safeParse(undefined).success ? '' : 'yes',
      about(type),
    ]);
    const table = tableOf(['Field', 'Type', 'Required', 'Meaning'], rows);
    if (done.has(table)) return;
    done.add(table);
    parts.push(`### ${path === '' ? 'The file' : `\`${name}\``}\n\n${table}`);
    for (const [field, type] of fields) record(path === '' ? field : `${name}.${field}`, type);
  };
  record('', workspace);
  return parts.join('\n\n');
}

function about(schema: z.core.$ZodType): string {
  const here = z.globalRegistry.get(schema)?.description;
  if (here !== undefined) return here;
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return about(schema.unwrap());
  return schema instanceof z.ZodPipe ? about(schema.in) : '';
}

function typeName(wrapped: z.core.$ZodType): string {
  const schema = unwrap(wrapped);
  const mark = schema instanceof z.ZodType ? marks.get(schema) : undefined;
  if (mark) return 'type' in mark ? mark.type : `id in \`${mark.refersTo.replace('resource_hub_', '')}\``;
  if (schema instanceof z.ZodEnum) return schema.options.map((value) => `\`${value}\``).join(' ');
  if (schema instanceof z.ZodLiteral) return 'level';
  if (schema instanceof z.ZodNumber) return schema.format === null ? 'number' : 'integer';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodArray) return 'list';
  return schema instanceof z.ZodObject ? 'record' : 'string';
}

/** The codes as a type of TypeScript. */
const codeType = () =>
  ['```ts', 'export type ErrorCode =', `${errorCodes.map((code) => `  | '${code}'`).join('\n')};`, '```'].join('\n');

/** The tables of each document, by the name of their place. */
const tables: Record<string, Record<string, () => string>> = {
  clients: { codes: codeType },
  errors: { errors: errorTable },
  events: { events: eventTable, headers: headerTable },
  graphql: { previews: previewTable },
  'import-format': { fields: formatTables },
  settings: { settings: settingTables },
};

/** The documents with their tables as the code has them, by their paths from the root. */
export const documentsWithTables = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tables).map(([page, places]) => {
      const file = `docs/${page}.md`;
      let text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      for (const [name, table] of Object.entries(places)) {
        const region = new RegExp(`(<!-- ${name}: [^\n]* -->\n).*(\n<!-- /${name} -->)`, 's');
        if (!region.test(text)) throw new Error(`nothing of ${file} is marked as ${name}`);
        text = text.replace(region, (_all, start: string, end: string) => `${start}\n${table()}\n${end}`);
      }
      return [file, text];
    }),
  );
