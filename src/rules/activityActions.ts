import type { ActivityAction, EventOrigin } from '../generated/client/enums.js';

export type ActivitySubject = 'goal' | 'file' | 'document';

/**
 * Every action that an activity can record: what it applies to, and its description in the GraphQL schema.
 * A new action takes a line here, and a value of the Prisma enum with its migration.
 */
export const activityActions = {
  goal_created: { subject: 'goal', description: 'A goal was created.' },
  goal_closed: { subject: 'goal', description: 'A goal was closed.' },
  goal_reopened: { subject: 'goal', description: 'A closed goal was reopened.' },
  resource_hub_file_created: { subject: 'file', description: 'A file was created in a hub.' },
  resource_hub_file_deleted: { subject: 'file', description: 'A file of a hub was deleted.' },
  resource_hub_file_recovered: { subject: 'file', description: 'A deleted file of a hub was recovered.' },
  resource_hub_document_created: { subject: 'document', description: 'A document was published.' },
  resource_hub_document_edited: { subject: 'document', description: 'A document was edited.' },
  document_version_restored: { subject: 'document', description: 'An earlier version of a document was restored.' },
} satisfies Record<ActivityAction, { subject: ActivitySubject; description: string }>;

/** Who may have written an activity, with the description in the GraphQL schema. */
export const originDescriptions: Record<EventOrigin, string> = {
  api: 'An operation of the gateway, on any of its surfaces.',
  import: 'An import of a file.',
  application: 'The main application, or whoever else writes to the database.',
};

export const originNames = Object.keys(originDescriptions) as EventOrigin[];

export const actions = Object.keys(activityActions) as ActivityAction[];

/** The actions that apply to a goal, a file or a document. */
export const actionsOn = (subject: ActivitySubject): ActivityAction[] =>
  actions.filter((action) => activityActions[action].subject === subject);
