import type { ActivityAction } from '../database/generated/client/enums.js';

/** The type of an event: its action with the last `_` as a dot, such as `goal.reopened`. */
export const eventTypeOf = (action: ActivityAction): string => action.replace(/_(?=[^_]*$)/, '.');

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

type SubjectField = keyof EventSubject;

const ofFile: SubjectField[] = ['file_id', 'resource_hub_id'];
const ofDocument: SubjectField[] = ['document_id', 'resource_hub_id'];
const ofVersion: SubjectField[] = [...ofDocument, 'version_id', 'version_number', 'restored_from_version_number'];

/** The members of `data`, besides `author_id`, in the events of each action. */
export const eventFields: Record<ActivityAction, readonly SubjectField[]> = {
  goal_created: ['goal_id'],
  goal_closed: ['goal_id'],
  goal_reopened: ['goal_id'],
  resource_hub_file_created: ofFile,
  resource_hub_file_deleted: ofFile,
  resource_hub_file_recovered: ofFile,
  resource_hub_document_created: ofDocument,
  resource_hub_document_edited: ofDocument,
  document_version_restored: ofVersion,
};
