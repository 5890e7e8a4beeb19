import type { ActivityAction } from '../generated/client/enums.js';
import type { ActionFacts } from '../rules/activityActions.js';
import { fileDeletion } from './deleteResourceHubFile.js';
import { fileRecovery } from './recoverResourceHubFile.js';
import { goalReopening } from './reopenGoal.js';
import { versionRestoring } from './restoreDocumentVersion.js';
import { changeUndoing } from './undoChange.js';

/** The operations, in the order in which people meet them. */
export const operations = [goalReopening, fileDeletion, versionRestoring, fileRecovery, changeUndoing] as const;

export type Operation = (typeof operations)[number];

type ActionsOf<Each> = Each extends { actions: infer Actions } ? keyof Actions : never;

/** The actions that no operation makes: the application does, and imports. */
const others: Record<Exclude<ActivityAction, ActionsOf<Operation>>, ActionFacts> = {
  goal_created: { description: 'A goal was created.' },
  goal_closed: { description: 'A goal was closed.' },
  resource_hub_file_created: { description: 'A file was created in a hub.' },
  resource_hub_document_created: { description: 'A document was published.' },
  resource_hub_document_edited: { description: 'A document was edited.' },
};

/** What is said of each action. One that neither an operation nor this page describes does not compile. */
export const activityActions: Record<ActivityAction, ActionFacts> = Object.assign(
  {},
  others,
  ...operations.map(({ actions }) => actions),
);
