import { deleteResourceHubFile } from './deleteResourceHubFile.js';
import { recoverResourceHubFile } from './recoverResourceHubFile.js';
import { reopenGoal } from './reopenGoal.js';
import { restoreDocumentVersion } from './restoreDocumentVersion.js';

/** The paths of the REST facade, in the order in which people meet them. */
export const storedMutations = [reopenGoal, deleteResourceHubFile, restoreDocumentVersion, recoverResourceHubFile];
