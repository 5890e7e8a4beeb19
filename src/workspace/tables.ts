import { models } from '../generated/models.js';

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
    .filter((name) => name !== 'company_id');

/** The columns that say of which row of the company it is. */
export const rowKeyOf = (table: Table): readonly string[] =>
  table === 'space_members' ? ['space_id', 'person_id'] : table === 'public_links' ? ['token'] : ['id'];

/** The rows of a parent that lie in one of its lists. */
export interface Parent {
  table: Table;
  /** The column of the child that has the id of the parent. */
  column: string;
  /** The field of the parent's record in which the file has them. */
  list: string;
}

interface Nested {
  parents: readonly Parent[];
  /** What a row without an id in the file is recognized by, besides its parent; then by its position. */
  natural: readonly string[];
}

const parent = (table: Table, column: string, list: string): Parent => ({ table, column, list });

/** What lies in lists of other records. */
export const nested: Partial<Record<Table, Nested>> = {
  space_members: { parents: [parent('spaces', 'space_id', 'members')], natural: ['person_id'] },
  targets: { parents: [parent('goals', 'goal_id', 'targets')], natural: [] },
  goal_checks: { parents: [parent('goals', 'goal_id', 'checklist')], natural: [] },
  goal_progress_updates: { parents: [parent('goals', 'goal_id', 'progress_updates')], natural: [] },
  goal_retrospectives: { parents: [parent('goals', 'goal_id', 'retrospectives')], natural: [] },
  access_grants: {
    parents: [
      parent('spaces', 'space_id', 'access'),
      parent('goals', 'goal_id', 'access'),
      parent('projects', 'project_id', 'access'),
    ],
    natural: ['person_id'],
  },
  document_versions: {
    parents: [parent('resource_hub_documents', 'document_id', '')],
    natural: ['version_number'],
  },
  activities: {
    parents: [
      parent('goals', 'goal_id', ''),
      parent('resource_hub_files', 'file_id', ''),
      parent('resource_hub_documents', 'document_id', ''),
    ],
    natural: ['action', 'author_id'],
  },
  comment_threads: { parents: [parent('activities', 'activity_id', '')], natural: [] },
  comments: {
    parents: [
      parent('comment_threads', 'thread_id', ''),
      parent('goal_progress_updates', 'progress_update_id', 'comments'),
      parent('goal_retrospectives', 'retrospective_id', 'comments'),
      parent('resource_hub_files', 'file_id', 'comments'),
      parent('resource_hub_documents', 'document_id', 'comments'),
    ],
    natural: ['author_id'],
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
      parent('comment_threads', 'thread_id', ''),
      parent('resource_hub_files', 'file_id', ''),
      parent('resource_hub_documents', 'document_id', ''),
    ],
    natural: [],
  },
  subscriptions: {
    parents: [parent('subscription_lists', 'subscription_list_id', 'subscriptions')],
    natural: ['person_id'],
  },
  notifications: { parents: [parent('activities', 'activity_id', '')], natural: ['person_id'] },
};

/** Rows that are never changed or removed once they are there. */
export const isAppended = (table: Table): boolean =>
  ['document_versions', 'activities', 'comment_threads', 'notifications'].includes(table);

/** What an import can remove as a whole; hidden is what has history that refers to it. */
export const removable: Readonly<Record<string, { table: Table; how: 'hide' | 'delete' | 'suspend' }>> = {
  people: { table: 'people', how: 'suspend' },
  spaces: { table: 'spaces', how: 'hide' },
  goals: { table: 'goals', how: 'hide' },
  projects: { table: 'projects', how: 'hide' },
  resource_hubs: { table: 'resource_hubs', how: 'hide' },
  folders: { table: 'resource_hub_folders', how: 'delete' },
  files: { table: 'resource_hub_files', how: 'delete' },
  documents: { table: 'resource_hub_documents', how: 'hide' },
};

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
