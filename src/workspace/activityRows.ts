import type { Workspace } from './format/workspace.js';
import { under } from './under.js';

type Goal = Workspace['goals'][number];

/** The activities of all records, with what they say of their records and the sequence of their events. */
export const activityRows = ({ goals, files, documents }: Workspace) =>
  numbered([
    ...under(goals, 'goal_id', reopenings),
    ...under(files, 'file_id', namedActivities),
    ...under(documents, 'document_id', restoredVersions),
  ]);

/** The company is new, so the events of its activities are its first. */
const numbered = <Activity extends { inserted_at: string }>(activities: Activity[]) =>
  activities
    .toSorted((a, b) => Date.parse(a.inserted_at) - Date.parse(b.inserted_at))
    .map((activity, index) => ({ ...activity, sequence: index + 1 }));

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
