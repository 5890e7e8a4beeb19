import type { Workspace } from './format/workspace.js';
import type { Table } from './tables.js';

type Goal = Workspace['goals'][number];
type Subject = Workspace['files'][number];

/** The column values of a row. Other keys have no column and are not written. */
export type Row = Record<string, unknown>;

/** The rows of a workspace by table, without their company. */
export function rowsOf(workspace: Workspace): Record<Table, Row[]> {
  const { company, people, spaces, goals, projects, resource_hubs, folders, files, documents } = workspace;

  const updates = under(goals, 'goal_id', (goal) => goal.progress_updates);
  const retrospectives = under(goals, 'goal_id', (goal) => goal.retrospectives);
  const activities = numbered([
    ...under(goals, 'goal_id', reopenings),
    ...under(files, 'file_id', namedActivities),
    ...under(documents, 'document_id', restoredVersions),
  ]);
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

/** With the sequence of their events. The company is new, so theirs are its first. */
const numbered = <Activity extends { inserted_at: string }>(activities: Activity[]) =>
  activities
    .toSorted((a, b) => Date.parse(a.inserted_at) - Date.parse(b.inserted_at))
    .map((activity, index) => ({ ...activity, sequence: index + 1 }));

const commentsOf = (subject: Pick<Subject, 'comments'>) => subject.comments;
const reactionsOf = (subject: Pick<Subject, 'reactions'>) => subject.reactions;
const subscriptionListOf = ({ subscription_list: list }: Pick<Subject, 'subscription_list'>) => (list ? [list] : []);

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
