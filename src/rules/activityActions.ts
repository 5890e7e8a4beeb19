import { ActivityAction, type EventOrigin } from '../generated/client/enums.js';

const subjects = ['goal', 'file', 'document'] as const;

export type ActivitySubject = (typeof subjects)[number];

/** What an action applies to: its name begins with that. The check `activities_subject_of_action` says the same. */
export function subjectOf(action: ActivityAction): ActivitySubject {
  if (action.startsWith('goal_')) return 'goal';
  return action.startsWith('resource_hub_file_') ? 'file' : 'document';
}

/** What an activity is about, whatever its action. */
export function subjectIn({ goalId, fileId }: { goalId: string | null; fileId: string | null }): ActivitySubject {
  if (goalId !== null) return 'goal';
  return fileId !== null ? 'file' : 'document';
}

export const actionsOn = (subject: ActivitySubject): ActivityAction[] =>
  Object.values(ActivityAction).filter((action) => subjectOf(action) === subject);

export const actions = subjects.flatMap(actionsOn);

/** What an event says besides its author: ids and what never changes. */
export interface EventSubject {
  goal_id?: string;
  file_id?: string;
  document_id?: string;
  resource_hub_id?: string;
  version_id?: string;
  version_number?: number;
  restored_from_version_number?: number;
}

export type SubjectField = keyof EventSubject;

/** The members of `data`, besides `author_id`, in the events of every action on such a record. */
export const fieldsOfSubject: Record<ActivitySubject, readonly SubjectField[]> = {
  goal: ['goal_id'],
  file: ['file_id', 'resource_hub_id'],
  document: ['document_id', 'resource_hub_id'],
};

/** What is said of an action. */
export interface ActionFacts {
  /** What happened: in the GraphQL schema, the OpenAPI document and the documents. */
  description: string;
  /** What else its events say. */
  moreFields?: readonly SubjectField[];
}

/** Who may have written an activity, with the description in the GraphQL schema. */
export const originDescriptions: Record<EventOrigin, string> = {
  api: 'An operation of the gateway, on any of its surfaces.',
  import: 'An import of a file.',
  application: 'The main application, or whoever else writes to the database.',
};

export const originNames = Object.keys(originDescriptions) as EventOrigin[];
