import { activityRows } from './activityRows.js';
import type { Workspace } from './format/workspace.js';
import type { Table } from './tables.js';
import { under } from './under.js';

type Goal = Workspace['goals'][number];
type Subject = Workspace['files'][number];

/** The column values of a row. Other keys have no column and are not written. */
export type Row = Record<string, unknown>;

/** The rows of a workspace by table, without their company. */
export function rowsOf(workspace: Workspace): Record<Table, Row[]> {
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
