import { closestMatch } from 'leven';
import * as z from 'zod';
import { newId } from '../platform/postgres/index.js';
import type { WorkspacePart } from './file.js';
import { omitted } from './format/fields.js';
import { type Workspace, workspace } from './format/workspace.js';
import { quote } from './report.js';
import { children, isListed, isListName, type ListName, lists, type Table } from './tables.js';

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
    default:
      return undefined;
  }
};

/** The path of a field within a record: `goals[3].name`, or `line 12, name`. */
export function within(path: string, field: string): string {
  if (field === '' || path === '') return path || field;
  if (field.startsWith('[')) return path + field;
  return /^line \d+$/.test(path) ? `${path}, ${field}` : `${path}.${field}`;
}

/** `versions[0].title`. */
function nameOf(path: Path): string {
  const [first, ...rest] = path.map((step) =>
    typeof step === 'number'
      ? `[${step}]`
      : /^\w+$/.test(String(step))
        ? `.${String(step)}`
        : `[${quote(String(step))}]`,
  );
  return first ? [first.replace(/^\./, ''), ...rest].join('') : '';
}

/** What a record is, for messages: `goal "launch"`. */
export const labelOf = (kind: string, id: string) => `${kind} ${quote(id)}`;

export const recordPathOf = (problem: string): string | undefined => /^(?:line \d+|[a-z_]+\[\d+\])/.exec(problem)?.[0];

/** A problem that also says which record it is about: `line 12, success (goal "launch"): is required`. */
export const labelled = (problem: string, label: string | undefined): string =>
  label === undefined ? problem : problem.replace(': ', () => ` (${label}): `);

/** The schema inside the wrappers for null, defaults and conversions. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return unwrap(schema.unwrap());
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema;
}

function fieldsAt(schema: z.core.$ZodType, path: Path): string[] {
  const inner = unwrap(schema);
  const [step, ...rest] = path;
  if (inner instanceof z.ZodArray) return fieldsAt(inner.element, rest);
  if (!(inner instanceof z.ZodObject)) return [];
  return step === undefined ? Object.keys(inner.shape) : fieldsAt(inner.shape[String(step)], rest);
}

function unknownField(path: string, key: string, known: string[]): string {
  const maxDistance = Math.min(Math.max(2, Math.floor(key.length / 3)), key.length - 1);
  const near = closestMatch(key, known, { maxDistance });
  return `${within(path, nameOf([key]))}: unknown field${near ? `, did you mean ${near}?` : ''}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return quote(value);
}

/** One line for each problem: the path of the field and the problem. */
const problemsOf = ({ issues }: z.ZodError, schema: z.core.$ZodType, path: string): string[] =>
  issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownField(within(path, nameOf(issue.path)), key, fieldsAt(schema, issue.path)))
      : `${within(path, nameOf(issue.path))}: ${issue.message}`,
  );

/** The column values of a row. Other keys have no column and are not written. */
type Row = Record<string, unknown>;

/** Where a row is in the file, and what the file says of it besides its columns. */
interface At {
  path: string;
  /** What the record has of what an update leaves if it is omitted: lists of other rows, even empty ones, and a public link. */
  given: string[];
  /** Whether it hangs on an activity, which nothing is changed of. */
  isFrozen: boolean;
  made: string;
}

export type Emit = (table: Table, row: Row, at: At) => void;

type Recorded<L extends ListName> = Workspace[L][number];
type Goal = Recorded<'goals'>;
type Document = Recorded<'documents'>;
type Activity = Pick<Goal['activities'][number], 'name'> &
  Partial<Pick<Goal['activities'][number], 'undone_outcome'> & Pick<Document['activities'][number], 'version_number'>>;

/** Without levels in the file, those of the company and the members are null until {@link Staging.setLevels}. */
const levels = ({ access_levels: given }: Pick<Goal, 'access_levels'>) => ({
  public_level: given?.public ?? 0,
  company_level: given?.company,
  space_level: given?.space,
});

const asListed = ({ index }: { index: number | null }, _: unknown, place: number) => ({ index: index ?? place });

/** What a row has that its record does not have by the name of the column. */
const derived: Partial<Record<Table, (record: never, parent: never, index: number) => Row>> = {
  spaces: levels,
  projects: levels,
  goals: ({ access_levels, timeframe }: Goal) => ({
    ...levels({ access_levels }),
    start_date_type: timeframe?.contextual_start_date?.date_type,
    start_date_value: timeframe?.contextual_start_date?.value,
    start_date: timeframe?.contextual_start_date?.date,
    end_date_type: timeframe?.contextual_end_date?.date_type,
    end_date_value: timeframe?.contextual_end_date?.value,
    end_date: timeframe?.contextual_end_date?.date,
  }),
  targets: asListed,
  goal_checks: asListed,
  goal_progress_updates: (update: Goal['progress_updates'][number]) => ({
    acknowledged_by_id: update.acknowledging_person_id,
  }),
  resource_hub_documents: ({ versions }: Document) => ({ current_version: versions.at(-1)?.version_number }),
  document_versions: ({ version_number: number }: Document['versions'][number]) => ({
    previous_version_number: number - 1 || null,
  }),
  activities: (
    { name, version_number: number, undone_outcome: undone }: Activity,
    subject: { name: string } & Partial<Pick<Document, 'versions'>>,
  ) => ({
    name: name ?? subject.versions?.find((each) => each.version_number === number)?.title ?? subject.name,
    origin: 'import',
    undone_success: undone?.success,
    undone_closed_at: undone?.closed_at,
    undone_closed_by_id: undone?.closed_by_id,
  }),
};

/** Where a record lies: at a path of the file, and in which other record. */
interface Place {
  path: string;
  parent?: Row;
  /** The id of the parent's row, by its column. */
  owner?: Row;
  index?: number;
  isFrozen?: boolean;
}

/** Emits the rows of a checked record, and of all that lies in it. Returns the id of its own. */
function emitRows(emit: Emit, table: Table, record: Row, place: Place): string {
  const { path, parent, owner, index = 0 } = place;
  const isFrozen = place.isFrozen === true || table === 'activities';
  const made = (record.id as string | null | undefined) ?? newId();
  const more = derived[table]?.(record as never, parent as never, index);
  const row: Row = { ...record, ...more, ...owner, id: made, generated: record.id == null };
  if (table === 'resource_hub_files')
    row.blob_id = emitRows(emit, 'blobs', record.blob as Row, { path: within(path, 'blob') });
  if (table === 'resource_hub_documents' && record.public_token != null)
    emitRows(emit, 'public_links', { token: record.public_token }, { path });
  const inside = children[table];
  const given = inside.filter(({ table: child, field }) => !isFrozen && isListed(child) && record[field] !== omitted);
  const listed = given.map(({ field }) => field);
  const isLinkGiven = table === 'resource_hub_documents' && record.public_token !== undefined;
  emit(table, row, { path, given: isLinkGiven ? [...listed, 'public_token'] : listed, isFrozen, made });
  for (const { table: child, column, field } of inside) {
    const value = record[field] as Row | Row[] | null;
    const at = { parent: record, owner: { [column]: made }, isFrozen };
    if (!Array.isArray(value)) {
      if (value) emitRows(emit, child, value, { ...at, path: within(path, field) });
    } else
      for (const [position, item] of value.entries())
        emitRows(emit, child, item, { ...at, index: position, path: within(path, `${field}[${position}]`) });
  }
  return made;
}

/** What the fields of the file besides its lists say. */
export type Head = Pick<Workspace, 'company' | 'revision' | 'as_of' | 'removed'> & {
  given: Set<string>;
};

/** Keeps so many problems; there may be as many as records. */
const mostProblems = 10_000;

/** Checks the parts of a workspace, and turns them into rows as long as none has a problem. */
export class RecordReader {
  readonly problems: string[] = [];
  /** What the records with problems are, by their paths. */
  readonly labels = new Map<string, string>();
  readonly #fields = new Map<string, unknown>();
  readonly #seen = new Set<string>();
  readonly #given = new Set<string>();

  constructor(private readonly emit: Emit) {}

  read({ field, value, isRecord, path }: WorkspacePart): void {
    const isList = isListName(field);
    if (isList && isRecord) {
      this.#given.add(field);
      this.#readRecord(field, value, path);
    } else if (isList && Array.isArray(value) && value.length === 0) this.#given.add(field);
    else if (isList) this.#problem(`${path}: must be an array, not ${typeName(value)}`);
    else if (Object.hasOwn(workspace.shape, field)) this.#readField(field, value, path);
    else
      this.#problem(unknownField(path === field ? '' : path.replace(/, .*$/, ''), field, Object.keys(workspace.shape)));
  }

  /** What the fields said; undefined if there are problems with them. */
  head(): Head | undefined {
    if (!this.#seen.has('company')) this.#problem('company: is required');
    const [company, revision, as_of, removed] = ['company', 'revision', 'as_of', 'removed'].map(
      (name) => this.#fields.get(name) ?? null,
    ) as [Head['company'] | null, Head['revision'], Head['as_of'], Head['removed']];
    return company === null ? undefined : { company, revision, as_of, removed, given: this.#given };
  }

  #readRecord(list: ListName, raw: unknown, path: string): void {
    const schema = elementOf[list];
    const parsed = schema.safeParse(raw, { error: message });
    if (parsed.success) {
      if (this.problems.length === 0) emitRows(this.emit, lists[list].table, parsed.data as Row, { path });
      return;
    }
    const { id } = (raw ?? {}) as { id?: unknown };
    if (typeof id === 'string' && this.labels.size < mostProblems) this.labels.set(path, labelOf(lists[list].kind, id));
    for (const problem of problemsOf(parsed.error, schema, path)) this.#problem(problem);
  }

  #readField(field: string, value: unknown, path: string): void {
    if (this.#seen.has(field)) {
      this.#problem(`${path}: is there a second time`);
      return;
    }
    this.#seen.add(field);
    const schema = workspace.shape[field as keyof typeof workspace.shape];
    const parsed = schema.safeParse(value, { error: message });
    if (parsed.success) this.#fields.set(field, parsed.data);
    else for (const problem of problemsOf(parsed.error, schema, path)) this.#problem(problem);
  }

  #problem(text: string): void {
    if (this.problems.length < mostProblems) this.problems.push(text);
  }
}

const elementOf = Object.fromEntries(
  Object.keys(lists).map((list) => [
    list,
    (unwrap(workspace.shape[list as ListName]) as z.ZodArray<z.ZodType>).element,
  ]),
) as Record<ListName, z.ZodType>;
