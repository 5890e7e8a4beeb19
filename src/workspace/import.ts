import { Prisma } from '../generated/client/client.js';
import { models } from '../generated/models.js';
import type { Database, Transaction } from '../platform/postgres/index.js';
import { check, type Identities, pathName, quote } from './check.js';
import { ImportError } from './file.js';
import type { Workspace } from './format/workspace.js';

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

/** The columns of a table, without `company_id`. */
export function columnsOf(table: Table): string[] {
  const model = Object.values(models).find((each) => each.table === table);
  const names = Object.values(model?.columns ?? {}).map(({ name }) => name);
  return names.filter((name) => name !== 'company_id');
}

/** The children of all parents, each with the id of its parent in `column`. */
function under<Parent extends { id: string }, Child, Column extends string>(
  parents: Parent[],
  column: Column,
  childrenOf: (parent: Parent) => Child[],
): (Child & Record<Column, string>)[] {
  return parents.flatMap((parent) =>
    childrenOf(parent).map((child) => ({ ...child, [column]: parent.id }) as Child & Record<Column, string>),
  );
}

type Goal = Workspace['goals'][number];

/** The activities of all records, with what they say of their records and the sequence of their events. */
const activityRows = ({ goals, files, documents }: Workspace) =>
  numbered([
    ...under(goals, 'goal_id', reopenings),
    ...under(files, 'file_id', namedActivities),
    ...under(documents, 'document_id', restoredVersions),
  ]);

/** The company is new, so the events of its activities are its first. */
const numbered = <Activity extends { inserted_at: string }>(activities: Activity[]) =>
  activities
    .toSorted((a, b) => Date.parse(a.inserted_at) - Date.parse(b.inserted_at))
    .map((activity, index) => ({ ...activity, origin: 'import', sequence: index + 1 }));

/** An activity that does not say the name of its record has the name that the record has now. */
const namedActivities = <Activity extends { name: string | null }>(record: { name: string; activities: Activity[] }) =>
  record.activities.map((activity) => ({ ...activity, name: activity.name ?? record.name }));

const reopenings = (goal: Goal) =>
  namedActivities(goal).map(({ undone_outcome: undone, ...activity }) => ({
    ...activity,
    undone_success: undone?.success,
    undone_closed_at: undone?.closed_at,
    undone_closed_by_id: undone?.closed_by_id,
  }));

const restoredVersions = ({ name, activities, versions }: Workspace['documents'][number]) =>
  activities.map((activity) => {
    const restored = versions[(activity.version_number ?? 0) - 1];
    return { ...activity, name: activity.name ?? restored?.title ?? name, document_version_id: restored?.id };
  });

type Subject = Workspace['files'][number];

/** The column values of a row. Other keys have no column and are not written. */
type Row = Record<string, unknown>;

/** The rows of a workspace by table, without their company. */
function rowsOf(workspace: Workspace): Record<Table, Row[]> {
  const { company, people, spaces, goals, projects, resource_hubs, folders, files, documents } = workspace;

  const updates = under(goals, 'goal_id', (goal) => goal.progress_updates);
  const retrospectives = under(goals, 'goal_id', (goal) => goal.retrospectives);
  const activities = activityRows(workspace);
  const threads = under(activities, 'activity_id', ({ thread }) => (thread ? [thread] : []));
  const comments = [
    ...under(threads, 'thread_id', commentsOf),
    ...under(updates, 'progress_update_id', commentsOf),
    ...under(retrospectives, 'retrospective_id', commentsOf),
    ...under(files, 'file_id', commentsOf),
    ...under(documents, 'document_id', commentsOf),
  ];
  const reactions = [
    ...under(comments, 'comment_id', reactionsOf),
    ...under(updates, 'progress_update_id', reactionsOf),
    ...under(files, 'file_id', reactionsOf),
    ...under(documents, 'document_id', reactionsOf),
  ];
  const subscriptionLists = [
    ...under(threads, 'thread_id', subscriptionListOf),
    ...under(files, 'file_id', subscriptionListOf),
    ...under(documents, 'document_id', subscriptionListOf),
  ];
  const grants = [
    ...under(spaces, 'space_id', (space) => space.access),
    ...under(goals, 'goal_id', (goal) => goal.access),
    ...under(projects, 'project_id', (project) => project.access),
  ];

  return {
    companies: [{ ...company, last_sequence: activities.length }],
    people,
    spaces: spaces.map((space) => ({ ...space, ...levels(space) })),
    space_members: under(spaces, 'space_id', (space) => space.members),
    goals: goals.map((goal) => ({ ...goal, ...dates(goal), ...levels(goal) })),
    targets: under(goals, 'goal_id', (goal) => indexed(goal.targets)),
    goal_checks: under(goals, 'goal_id', (goal) => indexed(goal.checklist)),
    goal_progress_updates: updates.map((update) => ({
      ...update,
      acknowledged_by_id: update.acknowledging_person_id,
    })),
    goal_retrospectives: retrospectives,
    projects: projects.map((project) => ({ ...project, ...levels(project) })),
    access_grants: grants,
    resource_hubs,
    resource_hub_folders: folders,
    blobs: files.map((file) => file.blob),
    resource_hub_files: files.map((file) => ({ ...file, blob_id: file.blob.id })),
    public_links: documents.flatMap(({ public_token: token }) => (token === null ? [] : [{ token }])),
    resource_hub_documents: documents.map((document) => ({
      ...document,
      current_version: document.versions.at(-1)?.version_number,
    })),
    document_versions: under(documents, 'document_id', (document) => document.versions).map((version) => ({
      ...version,
      previous_version_number: version.version_number - 1 || null,
    })),
    activities,
    comment_threads: threads,
    comments,
    reactions,
    subscription_lists: subscriptionLists,
    subscriptions: under(subscriptionLists, 'subscription_list_id', (list) => list.subscriptions),
    notifications: under(activities, 'activity_id', (activity) => activity.notifications),
  };
}

const commentsOf = (subject: Pick<Subject, 'comments'>) => subject.comments;
const reactionsOf = (subject: Pick<Subject, 'reactions'>) => subject.reactions;
const subscriptionListOf = ({ subscription_list: list }: Pick<Subject, 'subscription_list'>) => (list ? [list] : []);

const indexed = <Item extends { index: number | null }>(items: Item[]) =>
  items.map((item, position) => ({ ...item, index: item.index ?? position }));

const levels = ({ access_levels: { public: everyone, company, space } }: Pick<Goal, 'access_levels'>) => ({
  public_level: everyone,
  company_level: company,
  space_level: space,
});

const dates = ({ timeframe }: Goal) => ({
  start_date_type: timeframe?.contextual_start_date?.date_type,
  start_date_value: timeframe?.contextual_start_date?.value,
  start_date: timeframe?.contextual_start_date?.date,
  end_date_type: timeframe?.contextual_end_date?.date_type,
  end_date_value: timeframe?.contextual_end_date?.value,
  end_date: timeframe?.contextual_end_date?.date,
});

type Counts = Record<Table, number>;

const limits = { timeout: 3_600_000 };
const charactersAtOnce = 1_000_000;

/**
 * Writes the workspace in the document, all of it or nothing, and returns the number of rows by table. Calls
 * `onProgress` after each batch. Throws an ImportError if the document is invalid, or if its company or one of its public
 * links exists already.
 */
export async function importWorkspace(
  db: Database,
  document: unknown,
  onProgress: (written: number, total: number) => void = () => {},
): Promise<Counts> {
  const { workspace, identities } = check(document);
  const rows = rowsOf(workspace);
  const counts = Object.fromEntries(tables.map((table) => [table, rows[table].length])) as Counts;
  const total = Object.values(counts).reduce((sum, count) => sum + count);

  const write = async (tx: Transaction) => {
    await requireUnused(tx, identities);
    let written = 0;
    for (const table of tables)
      for (const batch of batches(table, rows[table])) {
        written += await insert(tx, table, workspace.company.id, batch);
        onProgress(written, total);
      }
  };
  await db.$transaction(write, limits).catch(async (error) => {
    if (isUniqueViolation(error)) await requireUnused(db, identities); // another writer was faster
    throw error;
  });
  // The rows are there. If this fails, PostgreSQL does it by itself, some minutes later.
  await analyze(db).catch(() => {});
  return counts;
}

async function analyze(db: Database): Promise<void> {
  for (const table of tables) await db.$executeRaw`SELECT analyze_table(${table}::regclass)`;
}

/** Throws an ImportError that names what is unique among all companies and exists already. */
async function requireUnused(db: Transaction, identities: Identities): Promise<void> {
  const problems: string[] = [];
  // The company last: whoever was faster has written it with its links, so whoever finds a link finds the company too.
  for (const name of ['public_links.token', 'companies.id']) {
    const paths = identities.get(name) ?? new Map();
    const [table, column] = name.split('.').map((part) => Prisma.raw(part));
    const values = [...paths.keys()];
    const select = Prisma.sql`SELECT ${column} AS value FROM ${table} WHERE ${column} = ANY (${values})`;
    const found = new Set((await db.$queryRaw<{ value: string }[]>(select)).map(({ value }) => value));
    for (const value of values)
      if (found.has(value)) problems.unshift(`${pathName(paths.get(value) ?? [])}: ${quote(value)} exists already`);
  }
  if (problems.length > 0) throw new ImportError(problems);
}

const isUniqueViolation = (error: { code?: unknown }) => error.code === '23505';

/** JSON arrays of rows, each small enough for one statement. */
function* batches(table: Table, rows: Row[]): Generator<string> {
  const written = columnsOf(table);
  let batch: string[] = [];
  let characters = 0;
  for (const row of rows) {
    const json = JSON.stringify(row.updated_at === null ? { ...row, updated_at: row.inserted_at } : row, written);
    if (batch.length > 0 && characters + json.length > charactersAtOnce) {
      yield `[${batch}]`;
      batch = [];
      characters = 0;
    }
    batch.push(json);
    characters += json.length;
  }
  if (batch.length > 0) yield `[${batch}]`;
}

/** Inserts a JSON array of rows of one company; returns their number. */
function insert(db: Transaction, table: Table, companyId: string, rows: string): Promise<number> {
  const into = Prisma.raw(table);
  const names = Prisma.raw(`"${columnsOf(table).join('", "')}"`);
  const read = Prisma.sql`json_populate_recordset(NULL::${into}, ${rows}::json)`;
  return table === 'companies'
    ? db.$executeRaw`INSERT INTO ${into} (${names}) SELECT ${names} FROM ${read}`
    : db.$executeRaw`INSERT INTO ${into} (company_id, ${names}) SELECT ${companyId}, ${names} FROM ${read}`;
}
