import { closestMatch } from 'leven';
import * as z from 'zod';
import { newId } from '../platform/postgres/index.js';
import type { WorkspacePart } from './file.js';
import { marks } from './format/fields.js';
import { type ListName, lists, type Workspace, workspace } from './format/workspace.js';
import type { Table } from './tables.js';

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

/** What an id in a record that is invalid says: that it is there, or that it refers to something. */
export type SeenId = { path: string; value: string } & ({ table: Table } | { refersTo: Table });

/** The ids in an invalid record, so that what refers to it, and what it refers to, is not a problem of its own. */
function* idsIn(wrapped: z.core.$ZodType, value: unknown, path: string): Generator<SeenId> {
  const schema = unwrap(wrapped);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* idsIn(schema.element, item, `${path}[${index}]`);
  } else if (schema instanceof z.ZodObject && value !== null && typeof value === 'object') {
    for (const [key, field] of Object.entries<z.core.$ZodType>(schema.shape))
      if (Object.hasOwn(value, key)) yield* idsIn(field, (value as Record<string, unknown>)[key], within(path, key));
  } else if (schema instanceof z.ZodString && typeof value === 'string') {
    const mark = marks.get(schema);
    if (mark && 'refersTo' in mark) yield { refersTo: mark.refersTo, value, path };
    else if (mark?.column === 'id') yield { table: mark.table, value, path };
  }
}

/** The column values of a row. Other keys have no column and are not written. */
type Row = Record<string, unknown>;

/** Where a row is in the file, and what the file says of it besides its columns. */
interface At {
  path: string;
  /** The lists of other rows that the record has, even if they are empty. */
  given?: string[];
  /** Whether it hangs on an activity, which nothing is changed of. */
  isFrozen?: boolean;
}

/** Takes a row for a table. */
export type Emit = (table: Table, row: Row, at: Required<At> & { made: string }) => void;

type Recorded<L extends ListName> = Workspace[L][number];
type Raw = Record<string, unknown> | undefined;

/** Turns checked records into rows. */
class Rows {
  constructor(private readonly emit: Emit) {}

  #row(table: Table, row: Row, { path, given = [], isFrozen = false }: At): string {
    const made = (row.id as string | null | undefined) ?? newId();
    this.emit(table, { ...row, id: made, generated: row.id == null }, { path, given, isFrozen, made });
    return made;
  }

  people(person: Recorded<'people'>, _raw: Raw, path: string): void {
    this.#row('people', person, { path });
  }

  spaces(space: Recorded<'spaces'>, raw: Raw, path: string): void {
    const given = givenIn(raw, 'access', 'members');
    const space_id = this.#row('spaces', { ...space, ...levels(space) }, { path, given });
    for (const [index, grant] of space.access.entries())
      this.#row('access_grants', { ...grant, space_id }, { path: within(path, `access[${index}]`) });
    for (const [index, member] of space.members.entries())
      this.#row('space_members', { ...member, space_id }, { path: within(path, `members[${index}]`) });
  }

  goals(goal: Recorded<'goals'>, raw: Raw, path: string): void {
    const given = givenIn(raw, 'access', 'targets', 'checklist', 'progress_updates', 'retrospectives');
    const goal_id = this.#row('goals', { ...goal, ...dates(goal), ...levels(goal) }, { path, given });
    const each = (list: string, index: number) => within(path, `${list}[${index}]`);
    for (const [index, grant] of goal.access.entries())
      this.#row('access_grants', { ...grant, goal_id }, { path: each('access', index) });
    for (const [index, target] of goal.targets.entries())
      this.#row('targets', { ...target, goal_id, index: target.index ?? index }, { path: each('targets', index) });
    for (const [index, check] of goal.checklist.entries())
      this.#row('goal_checks', { ...check, goal_id, index: check.index ?? index }, { path: each('checklist', index) });
    for (const [index, update] of goal.progress_updates.entries()) {
      const at = each('progress_updates', index);
      const own = rawAt(raw, 'progress_updates', index);
      const row = { ...update, goal_id, acknowledged_by_id: update.acknowledging_person_id };
      const id = this.#row('goal_progress_updates', row, { path: at, given: givenIn(own, 'comments', 'reactions') });
      this.#comments(update.comments, own, { progress_update_id: id }, at);
      this.#reactions(update.reactions, { progress_update_id: id }, at);
    }
    for (const [index, retrospective] of goal.retrospectives.entries()) {
      const at = each('retrospectives', index);
      const own = rawAt(raw, 'retrospectives', index);
      const row = { ...retrospective, goal_id };
      const id = this.#row('goal_retrospectives', row, { path: at, given: givenIn(own, 'comments') });
      this.#comments(retrospective.comments, own, { retrospective_id: id }, at);
    }
    for (const [index, { undone_outcome: undone, ...activity }] of goal.activities.entries()) {
      const outcome = {
        undone_success: undone?.success,
        undone_closed_at: undone?.closed_at,
        undone_closed_by_id: undone?.closed_by_id,
      };
      this.#activity({ ...activity, ...outcome, goal_id }, goal.name, each('activities', index));
    }
  }

  projects(project: Recorded<'projects'>, raw: Raw, path: string): void {
    const given = givenIn(raw, 'access');
    const project_id = this.#row('projects', { ...project, ...levels(project) }, { path, given });
    for (const [index, grant] of project.access.entries())
      this.#row('access_grants', { ...grant, project_id }, { path: within(path, `access[${index}]`) });
  }

  resource_hubs(hub: Recorded<'resource_hubs'>, _raw: Raw, path: string): void {
    this.#row('resource_hubs', hub, { path });
  }

  folders(folder: Recorded<'folders'>, _raw: Raw, path: string): void {
    this.#row('resource_hub_folders', folder, { path });
  }

  files(file: Recorded<'files'>, raw: Raw, path: string): void {
    const blob_id = this.#row('blobs', file.blob, { path: within(path, 'blob') });
    const given = givenIn(raw, 'comments', 'reactions');
    const file_id = this.#row('resource_hub_files', { ...file, blob_id }, { path, given });
    this.#comments(file.comments, raw, { file_id }, path);
    this.#reactions(file.reactions, { file_id }, path);
    this.#subscriptions(file.subscription_list, { file_id }, path);
    for (const [index, activity] of file.activities.entries())
      this.#activity({ ...activity, file_id }, file.name, within(path, `activities[${index}]`));
  }

  documents(document: Recorded<'documents'>, raw: Raw, path: string): void {
    const { public_token: token, versions } = document;
    if (token !== null) this.#row('public_links', { token }, { path });
    const row = { ...document, current_version: versions.at(-1)?.version_number };
    const given = givenIn(raw, 'comments', 'reactions');
    const document_id = this.#row('resource_hub_documents', row, { path, given });
    for (const [index, version] of versions.entries()) {
      const numbered = { ...version, document_id, previous_version_number: version.version_number - 1 || null };
      this.#row('document_versions', numbered, { path: within(path, `versions[${index}]`) });
    }
    this.#comments(document.comments, raw, { document_id }, path);
    this.#reactions(document.reactions, { document_id }, path);
    this.#subscriptions(document.subscription_list, { document_id }, path);
    for (const [index, activity] of document.activities.entries()) {
      const restored = versions.find(({ version_number: number }) => number === activity.version_number);
      const name = restored?.title ?? document.name;
      this.#activity({ ...activity, document_id }, name, within(path, `activities[${index}]`));
    }
  }

  #activity(activity: Row & ActivityRecord, recordsName: string, path: string): void {
    const { thread, notifications } = activity;
    const isFrozen = true;
    const row = { ...activity, name: activity.name ?? recordsName, origin: 'import' };
    const activity_id = this.#row('activities', row, { path, isFrozen });
    if (thread) {
      const at = within(path, 'thread');
      const thread_id = this.#row('comment_threads', { ...thread, activity_id }, { path: at, isFrozen });
      this.#comments(thread.comments, undefined, { thread_id }, at, isFrozen);
      this.#subscriptions(thread.subscription_list, { thread_id }, at, isFrozen);
    }
    for (const [index, notification] of notifications.entries()) {
      const at = within(path, `notifications[${index}]`);
      this.#row('notifications', { ...notification, activity_id }, { path: at, isFrozen });
    }
  }

  #comments(comments: CommentRecord[], raw: Raw, subject: Row, path: string, isFrozen = false): void {
    for (const [index, comment] of comments.entries()) {
      const at = within(path, `comments[${index}]`);
      const given = isFrozen ? [] : givenIn(rawAt(raw, 'comments', index), 'reactions');
      const id = this.#row('comments', { ...comment, ...subject }, { path: at, given, isFrozen });
      this.#reactions(comment.reactions, { comment_id: id }, at, isFrozen);
    }
  }

  #reactions(reactions: Row[], subject: Row, path: string, isFrozen = false): void {
    for (const [index, reaction] of reactions.entries())
      this.#row('reactions', { ...reaction, ...subject }, { path: within(path, `reactions[${index}]`), isFrozen });
  }

  #subscriptions(list: SubscriptionListRecord, subject: Row, path: string, isFrozen = false): void {
    if (!list) return;
    const at = within(path, 'subscription_list');
    const given = isFrozen ? [] : ['subscriptions'];
    const id = this.#row('subscription_lists', { ...list, ...subject }, { path: at, given, isFrozen });
    for (const [index, subscription] of list.subscriptions.entries()) {
      const row = { ...subscription, subscription_list_id: id };
      this.#row('subscriptions', row, { path: within(at, `subscriptions[${index}]`), isFrozen });
    }
  }
}

type CommentRecord = Recorded<'files'>['comments'][number];
type SubscriptionListRecord = Recorded<'files'>['subscription_list'];
type ActivityRecord = Pick<Recorded<'files'>['activities'][number], 'name' | 'thread' | 'notifications'>;

const givenIn = (raw: Raw, ...fields: string[]) => fields.filter((field) => raw?.[field] !== undefined);

const rawAt = (raw: Raw, list: string, index: number): Raw => (raw?.[list] as Raw[] | undefined)?.[index];

const levels = ({ access_levels: { public: everyone, company, space } }: Pick<Recorded<'goals'>, 'access_levels'>) => ({
  public_level: everyone,
  company_level: company,
  space_level: space,
});

const dates = ({ timeframe }: Recorded<'goals'>) => ({
  start_date_type: timeframe?.contextual_start_date?.date_type,
  start_date_value: timeframe?.contextual_start_date?.value,
  start_date: timeframe?.contextual_start_date?.date,
  end_date_type: timeframe?.contextual_end_date?.date_type,
  end_date_value: timeframe?.contextual_end_date?.value,
  end_date: timeframe?.contextual_end_date?.date,
});

/** A rule for records that the company does not have yet: a problem, unless it has this document. */
interface ForNew {
  id: string;
  path: string;
  problem: string;
}

/** Of documents that are new. Others may omit versions that are there. */
function* forNewDocuments(raw: unknown, path: string): Generator<ForNew> {
  const { id, state, versions } = (raw ?? {}) as Record<string, unknown>;
  if (typeof id !== 'string' || state !== 'published') return;
  const first = Array.isArray(versions) ? versions[0]?.version_number : undefined;
  if (!Array.isArray(versions) || versions.length === 0)
    yield { id, path: within(path, 'versions'), problem: 'a published document has at least one' };
  else if (typeof first === 'number' && first > 1) {
    const at = within(path, 'versions[0].version_number');
    yield { id, path: at, problem: 'must be 1, versions are listed from 1 on' };
  }
}

/** What the fields of the file besides its lists say. */
export type Head = Pick<Workspace, 'company' | 'revision' | 'as_of' | 'removed'> & {
  /** The lists that the file has. */
  given: Set<string>;
};

/** What a reader of parts is told besides rows. */
interface Listener {
  emit: Emit;
  onSeen: (id: SeenId) => void;
  onForNew: (rule: ForNew) => void;
}

/** Keeps so many problems; there may be as many as records. */
const mostProblems = 10_000;

/** Checks the parts of a workspace, and turns them into rows. */
export class RecordReader {
  readonly problems: string[] = [];
  readonly #listener: Listener;
  readonly #rows: Rows;
  readonly #fields = new Map<string, unknown>();
  readonly #paths = new Map<string, string>();
  readonly #given = new Set<string>();

  constructor(listener: Listener) {
    this.#listener = listener;
    this.#rows = new Rows(listener.emit);
  }

  read({ field, value, index, path }: WorkspacePart): void {
    const isList = isListName(field);
    if (isList && index !== undefined) {
      this.#given.add(field);
      this.#readRecord(field, value, path);
    } else if (isList && Array.isArray(value) && value.length === 0) this.#given.add(field);
    else if (isList) this.#problem(`${path}: must be an array, not ${typeName(value)}`);
    else if (Object.hasOwn(workspace.shape, field)) this.#readField(field, value, path);
    else
      this.#problem(unknownField(path === field ? '' : path.replace(/, .*$/, ''), field, Object.keys(workspace.shape)));
  }

  /** Takes notice of a record whose rows are not needed. */
  pass({ field }: WorkspacePart): void {
    this.#given.add(field);
  }

  /** What the fields said; undefined if there are problems with them. */
  head(): Head | undefined {
    if (!this.#paths.has('company')) this.#problem('company: is required');
    const [company, revision, as_of, removed] = ['company', 'revision', 'as_of', 'removed'].map(
      (name) => this.#fields.get(name) ?? null,
    ) as [Head['company'] | null, Head['revision'], Head['as_of'], Head['removed']];
    return company === null ? undefined : { company, revision, as_of, removed, given: this.#given };
  }

  #readRecord(list: ListName, raw: unknown, path: string): void {
    const schema = elementOf[list];
    const parsed = schema.safeParse(raw, { error: message });
    if (list === 'documents') for (const rule of forNewDocuments(raw, path)) this.#listener.onForNew(rule);
    if (parsed.success) {
      const emit = this.#rows[list] as (record: unknown, raw: Raw, path: string) => void;
      emit.call(this.#rows, parsed.data, raw as Raw, path);
      return;
    }
    for (const problem of problemsOf(parsed.error, schema, path)) this.#problem(problem);
    for (const id of idsIn(schema, raw, path)) this.#listener.onSeen(id);
  }

  #readField(field: string, value: unknown, path: string): void {
    if (this.#paths.has(field)) {
      this.#problem(`${path}: is there a second time`);
      return;
    }
    this.#paths.set(field, path);
    const schema = workspace.shape[field as keyof typeof workspace.shape];
    const parsed = schema.safeParse(value, { error: message });
    if (parsed.success) this.#fields.set(field, parsed.data);
    else for (const problem of problemsOf(parsed.error, schema, path)) this.#problem(problem);
  }

  #problem(text: string): void {
    if (this.problems.length < mostProblems) this.problems.push(text);
  }
}

const isListName = (field: string): field is ListName => (lists as readonly string[]).includes(field);

const elementOf = Object.fromEntries(
  lists.map((list) => [list, (unwrap(workspace.shape[list]) as z.ZodArray<z.ZodType>).element]),
) as Record<ListName, z.ZodType>;

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
  // Editors check formats themselves, but accept any time zone, and some do not support Unicode classes.
  if (schema.format === 'date-time') schema.pattern = 'Z$';
  else if (schema.format === 'date' || schema.pattern?.includes('\\p{')) delete schema.pattern;
}
