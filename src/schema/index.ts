import { builder } from './builder.js';
import './roots.js';
import './types/scalars.js';
import './queries/goal.js';
import './queries/resourceHubDocument.js';
import './queries/resourceHubFile.js';
import './queries/viewer.js';
import './mutations/deleteResourceHubFile.js';
import './mutations/reopenGoal.js';
import './mutations/restoreDocumentVersion.js';

export const schema = builder.toSchema();
