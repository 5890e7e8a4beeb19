import { models } from '../generated/models.js';
import type { Column } from '../platform/postgres/index.js';

/** The tables that an import writes. Each comes after the tables that its rows refer to. */
export const tables = [
  'companies',
  'people',
  'spaces',
  'space_members',
  'goals',
  'targets',
  'goal_checks',
  'goal_progress_updates',
  'goal_retrospectives',
  'projects',
  'access_grants',
  'resource_hubs',
  'resource_hub_folders',
  'blobs',
  'resource_hub_files',
  'public_links',
  'resource_hub_documents',
  'document_versions',
  'activities',
  'comment_threads',
  'comments',
  'reactions',
  'subscription_lists',
  'subscriptions',
  'notifications',
] as const;

export type Table = (typeof tables)[number];

const modelOf = (table: Table) => {
  const model = Object.values(models).find((each) => each.table === table);
  if (!model) throw new Error(`no model has the table ${table}`);
  return model;
};

/** The columns of a table, without `company_id`. */
export const columnsOf = (table: Table): string[] =>
  Object.values(modelOf(table).columns)
    .map(({ name }) => name)
    .filter((name) => !['company_id', 'outcome_activity_id', 'previous_outcome_id'].includes(name));

/** The columns that say of which row of the company it is. */
export const rowKeyOf = (table: Table): readonly string[] =>
  table === 'space_members' ? ['space_id', 'person_id'] : table === 'public_links' ? ['token'] : ['id'];

/** The rows of a parent that lie in one of its fields. */
interface Parent {
  table: Table;
  /** The column of the child that has the id of the parent. */
  column: string;
  /** The field of the parent's record in which the file has them. */
  field: string;
}

interface Nested {
  parents: readonly Parent[];
  /** What a row without an id in the file is recognized by, besides its parent; undefined if by nothing else. */
  natural?: readonly string[];
}

const parent = (table: Table, column: string, field: string): Parent => ({ table, column, field });

/** What lies in other records. */
export const nested: Partial<Record<Table, Nested>> = {
  space_members: { parents: [parent('spaces', 'space_id', 'members')], natural: ['person_id'] },
  targets: { parents: [parent('goals', 'goal_id', 'targets')] },
  goal_checks: { parents: [parent('goals', 'goal_id', 'checklist')] },
  goal_progress_updates: { parents: [parent('goals', 'goal_id', 'progress_updates')] },
  goal_retrospectives: { parents: [parent('goals', 'goal_id', 'retrospectives')] },
  access_grants: {
    parents: [
      parent('spaces', 'space_id', 'access'),
      parent('goals', 'goal_id', 'access'),
      parent('projects', 'project_id', 'access'),
    ],
    natural: ['person_id'],
  },
  document_versions: {
    parents: [parent('resource_hub_documents', 'document_id', 'versions')],
    natural: ['version_number'],
  },
  activities: {
    parents: [
      parent('goals', 'goal_id', 'activities'),
      parent('resource_hub_files', 'file_id', 'activities'),
      parent('resource_hub_documents', 'document_id', 'activities'),
    ],
  },
  comment_threads: { parents: [parent('activities', 'activity_id', 'thread')], natural: [] },
  comments: {
    parents: [
      parent('comment_threads', 'thread_id', 'comments'),
      parent('goal_progress_updates', 'progress_update_id', 'comments'),
      parent('goal_retrospectives', 'retrospective_id', 'comments'),
      parent('resource_hub_files', 'file_id', 'comments'),
      parent('resource_hub_documents', 'document_id', 'comments'),
    ],
  },
  reactions: {
    parents: [
      parent('comments', 'comment_id', 'reactions'),
      parent('goal_progress_updates', 'progress_update_id', 'reactions'),
      parent('resource_hub_files', 'file_id', 'reactions'),
      parent('resource_hub_documents', 'document_id', 'reactions'),
    ],
    natural: ['person_id', 'emoji'],
  },
  subscription_lists: {
    parents: [
      parent('comment_threads', 'thread_id', 'subscription_list'),
      parent('resource_hub_files', 'file_id', 'subscription_list'),
      parent('resource_hub_documents', 'document_id', 'subscription_list'),
    ],
    natural: [],
  },
  subscriptions: {
    parents: [parent('subscription_lists', 'subscription_list_id', 'subscriptions')],
    natural: ['person_id'],
  },
  notifications: { parents: [parent('activities', 'activity_id', 'notifications')], natural: ['person_id'] },
};

const levelColumns = ['public_level', 'company_level', 'space_level'];
const dateColumns = ['start', 'end'].flatMap((end) => [`${end}_date_type`, `${end}_date_value`, `${end}_date`]);
const ofActivity = ['id', 'action', 'author_id', 'name', 'inserted_at', 'undoes_id'];

/** The columns that a file has in another way, or not at all. */
const elsewhere: Partial<Record<Table, readonly string[]>> = {
  companies: ['last_sequence'],
  spaces: [...levelColumns, 'removed_at'],
  goals: [...levelColumns, ...dateColumns, 'removed_at'],
  projects: [...levelColumns, 'removed_at'],
  goal_progress_updates: ['acknowledged_by_id'],
  resource_hubs: ['removed_at'],
  resource_hub_files: ['blob_id', 'removed_at'],
  resource_hub_documents: ['removed_at'],
  document_versions: ['previous_version_number'],
  activities: columnsOf('activities').filter((name) => !ofActivity.includes(name)),
};

/** The columns that the record of a row has as fields of their names, both in the export and in the import. */
export function fieldsOf(table: Table): Column[] {
  const left = [...(elsewhere[table] ?? []), ...(nested[table]?.parents ?? []).map(({ column }) => column)];
  const names = columnsOf(table).filter((name) => !left.includes(name));
  return Object.values(modelOf(table).columns).filter(({ name }) => names.includes(name));
}

/** What lies in the records of each table. */
export const children = Object.fromEntries(
  tables.map((of) => [
    of,
    tables.flatMap((table) =>
      (nested[table]?.parents ?? []).flatMap((each) => (each.table === of ? { ...each, table } : [])),
    ),
  ]),
) as Record<Table, { table: Table; column: string; field: string }[]>;

/** Of which a record has one, and no list. */
export const isSingle = (table: Table): boolean => table === 'comment_threads' || table === 'subscription_lists';

/** Rows that are never changed or removed once they are there. */
export const isAppended = (table: Table): boolean =>
  ['document_versions', 'activities', 'comment_threads', 'notifications'].includes(table);

/** Whether a row is removed that is no longer in the list of its record. */
export const isListed = (table: Table): boolean => !isAppended(table) && !isSingle(table);

interface List {
  /** What a file with a record in each line calls them. */
  kind: string;
  table: Table;
  /** The column that hides a record which an import removes, as history refers to it; without one, its row is deleted. */
  gone: 'suspended_at' | 'removed_at' | undefined;
}

/** The lists of the file, in the order in which they are described. */
export const lists = {
  people: { kind: 'person', table: 'people', gone: 'suspended_at' },
  spaces: { kind: 'space', table: 'spaces', gone: 'removed_at' },
  goals: { kind: 'goal', table: 'goals', gone: 'removed_at' },
  projects: { kind: 'project', table: 'projects', gone: 'removed_at' },
  resource_hubs: { kind: 'resource_hub', table: 'resource_hubs', gone: 'removed_at' },
  folders: { kind: 'folder', table: 'resource_hub_folders', gone: undefined },
  files: { kind: 'file', table: 'resource_hub_files', gone: 'removed_at' },
  documents: { kind: 'document', table: 'resource_hub_documents', gone: 'removed_at' },
} as const satisfies Record<string, List>;

export type ListName = keyof typeof lists;

export const isListName = (field: string): field is ListName => Object.hasOwn(lists, field);

/** A column that has the id of a row of another table. */
export interface Reference {
  table: Table;
  column: string;
  to: Table;
}

const setAside = new Set(['document_version_id', 'blob_id', 'public_token', 'current_version']);

/** Every reference to a row by its id, apart from those to a parent. */
export const references: readonly Reference[] = tables.flatMap((table) =>
  Object.values(modelOf(table).relations).flatMap(({ model, isList, on }) => {
    const pair = on?.find(([from, target]) => target === 'id' && from !== 'id' && from !== 'companyId');
    const to = tables.find((each) => each === models[model]?.table);
    const column = pair && modelOf(table).columns[pair[0]]?.name;
    if (isList || !to || to === 'companies' || column === undefined || setAside.has(column)) return [];
    return nested[table]?.parents.some((each) => each.column === column) ? [] : [{ table, column, to }];
  }),
);

/** The field of the file in which a column is, where that has another name. */
export const fieldOf = (column: string): string =>
  column === 'acknowledged_by_id'
    ? 'acknowledging_person_id'
    : column === 'undone_closed_by_id'
      ? 'undone_outcome.closed_by_id'
      : column;
