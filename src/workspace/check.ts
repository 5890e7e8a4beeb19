import { closestMatch } from 'leven';
import { z } from 'zod';
import { ImportError } from './file.js';
import { marks } from './format/fields.js';
import { type Workspace, workspace } from './format/workspace.js';
import type { Table } from './import.js';

type Path = readonly PropertyKey[];

const expected: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

/** The problem of a field, worded to follow its path. */
const message: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'custom') return issue.message;
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${expected[issue.expected] ?? issue.expected}, not ${typeName(issue.input)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}, not ${quote(issue.input)}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'date'
        ? `must be a date such as 2026-03-31, not ${quote(issue.input)}`
        : `must be an ISO 8601 UTC timestamp such as 2026-03-31T09:30:00Z, not ${quote(issue.input)}`;
    default:
      return undefined;
  }
};

/** One line for each problem: the path of the field and the problem. */
function problemsOf({ issues }: z.ZodError, schema: z.ZodType): string[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return `${pathName(issue.path)}: ${issue.message}`;
    const known = fieldsAt(schema, issue.path);
    return issue.keys.map((key) => {
      const near = nearest(key, known);
      return `${pathName([...issue.path, key])}: unknown field${near ? `, did you mean ${near}?` : ''}`;
    });
  });
}

/** `documents[3].versions[0].title`; the whole document is `the file`. */
export function pathName(path: Path): string {
  const [first, ...rest] = path.map((step) =>
    typeof step === 'number'
      ? `[${step}]`
      : /^\w+$/.test(String(step))
        ? `.${String(step)}`
        : `[${quote(String(step))}]`,
  );
  return first ? [first.replace(/^\./, ''), ...rest].join('') : 'the file';
}

/** A value for a message: on one line, cut after 80 characters. */
export function quote(value: unknown): string {
  const json = typeof value === 'number' ? `${value}` : (JSON.stringify(value) ?? 'nothing');
  return json.length > 80 ? `${json.slice(0, 77).replace(/\p{Cs}$/u, '')}…` : json;
}

/** The schema inside the wrappers for null, defaults and conversions. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema;
}

function fieldsAt(schema: z.core.$ZodType, path: Path): string[] {
  const inner = unwrap(schema);
  const [step, ...rest] = path;
  if (inner instanceof z.ZodArray) return fieldsAt(inner.element, rest);
  if (!(inner instanceof z.ZodObject)) return [];
  return step === undefined ? Object.keys(inner.shape) : fieldsAt(inner.shape[String(step)], rest);
}

function nearest(word: string, known: string[]): string | undefined {
  const maxDistance = Math.min(Math.max(2, Math.floor(word.length / 3)), word.length - 1);
  return closestMatch(word, known, { maxDistance });
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return quote(value);
}

/** The path of each value that must be unique: column (`goals.id`) -> value -> path. */
export type Identities = Map<string, Map<string, RecordPath>>;

type RecordPath = (string | number)[];
type Reference = { refersTo: Table; value: string; path: RecordPath };

/**
 * Collects the ids in the document, and the problems with them and with the references to them. The rest of the
 * document may be invalid.
 */
function findReferences(schema: z.ZodType, document: unknown): { identities: Identities; problems: string[] } {
  const identities: Identities = new Map();
  const references: Reference[] = [];
  const problems: string[] = [];

  const visit = (wrapped: z.core.$ZodType, value: unknown, path: RecordPath): void => {
    const schema = unwrap(wrapped);
    if (schema instanceof z.ZodArray && Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(schema.element, item, [...path, index]);
    } else if (schema instanceof z.ZodObject && value !== null && typeof value === 'object') {
      for (const [key, field] of Object.entries<z.core.$ZodType>(schema.shape))
        if (Object.hasOwn(value, key)) visit(field, (value as Record<string, unknown>)[key], [...path, key]);
    } else if (schema instanceof z.ZodString && typeof value === 'string') {
      const mark = marks.get(schema);
      if (mark && 'refersTo' in mark) references.push({ ...mark, value, path });
      else if (mark) identify(`${mark.table}.${mark.column}`, value, path);
    }
  };

  const identify = (column: string, value: string, path: RecordPath): void => {
    const known = identities.get(column) ?? new Map<string, RecordPath>();
    identities.set(column, known);
    const earlier = known.get(value);
    if (earlier) problems.push(`${pathName(path)}: ${quote(value)} is the same as ${pathName(earlier)}`);
    else known.set(value, path);
  };

  visit(schema, document, []);
  for (const { refersTo, value, path } of references) {
    if (identities.get(`${refersTo}.id`)?.has(value)) continue;
    const other = [...identities].find(([column, known]) => column.endsWith('.id') && known.has(value));
    const hint = other ? `, it is the id of ${pathName(other[1].get(value) as RecordPath).replace(/\.id$/, '')}` : '';
    problems.push(
      `${pathName(path)}: nothing in ${refersTo.replace('resource_hub_', '')} has the id ${quote(value)}${hint}`,
    );
  }
  return { identities, problems };
}

/** Checks the document and fills in every default. Throws an ImportError with all problems. */
export function check(document: unknown): { workspace: Workspace; identities: Identities } {
  const parsed = workspace.safeParse(document, { error: message });
  const { identities, problems } = findReferences(workspace, document);
  const all = [
    ...(parsed.success ? [] : problemsOf(parsed.error, workspace)),
    ...problems,
    ...cycles(document, 'goals', 'parent_goal_id'),
    ...cycles(document, 'folders', 'parent_folder_id'),
    ...misplaced(document),
  ];
  if (!parsed.success || all.length > 0) throw new ImportError(all);
  return { workspace: parsed.data, identities };
}

type Fields = Record<string, unknown>;

/** The records of a list that have an id. The document is not checked yet, so the list may be anything. */
function recordsOf(document: unknown, list: string): [number, Fields][] {
  const records = (document as Fields | null)?.[list];
  return Array.isArray(records) ? [...records.entries()].filter(([, record]) => typeof record?.id === 'string') : [];
}

/** Finds goals or folders that contain themselves: one problem for each cycle. */
function cycles(document: unknown, list: string, parentField: string): string[] {
  const records = recordsOf(document, list);
  const byId = new Map(records.map((entry) => [entry[1].id, entry]));
  const visitedBy = new Map<unknown, number>();
  return records.flatMap(([start, record]) => {
    const path: unknown[] = []; // ids, from the record upwards
    let next: [number, Fields] | undefined = [start, record];
    while (next && !visitedBy.has(next[1].id)) {
      visitedBy.set(next[1].id, start);
      path.push(next[1].id);
      next = byId.get(next[1][parentField]);
    }
    if (!next || visitedBy.get(next[1].id) !== start) return [];
    const cycle = [...path.slice(path.indexOf(next[1].id)), next[1].id].map(quote);
    return `${list}[${next[0]}].${parentField}: leads back to itself: ${cycle.join(' → ')}`;
  });
}

/** Finds records whose folder belongs to another hub than they do. */
function misplaced(document: unknown): string[] {
  const hubOf = new Map(recordsOf(document, 'folders').map(([, folder]) => [folder.id, folder.resource_hub_id]));
  return ['folders', 'files', 'documents'].flatMap((list) =>
    recordsOf(document, list).flatMap(([index, { resource_hub_id: hub, parent_folder_id: folder }]) =>
      hubOf.has(folder) && hubOf.get(folder) !== hub
        ? `${list}[${index}].parent_folder_id: ${quote(folder)} is a folder of ${quote(hubOf.get(folder))}, not of ${quote(hub)}`
        : [],
    ),
  );
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The import format as a JSON Schema (2020-12), for editors. It describes the shape of the file; references between
 * records and rules across fields are checked by the import alone.
 */
export const workspaceSchema = (): JsonSchema =>
  z.toJSONSchema(workspace, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      describe(zodSchema, jsonSchema);
      if (jsonSchema.type === 'string') forEditors(jsonSchema);
    },
  });

/** Puts a description at the field itself, where editors look for it, and not only inside an `anyOf`. */
function describe(zodSchema: z.core.$ZodType, jsonSchema: JsonSchema): void {
  const { description } = z.globalRegistry.get(unwrap(zodSchema)) ?? {};
  if (description !== undefined) jsonSchema.description ??= description;
}

function forEditors(schema: JsonSchema): void {
  // A generated id differs each time, so it is not a default for editors.
  if (!schema.enum) delete schema.default;
  // Editors check formats themselves, but accept any time zone, and some do not support Unicode classes.
  if (schema.format === 'date-time') schema.pattern = 'Z$';
  else if (schema.format === 'date' || schema.pattern?.includes('\\p{')) delete schema.pattern;
}
