import { lexicographicSortSchema, printSchema } from 'graphql';
import { withStoredValues } from './platform/graphql/index.js';
import './webhooks/index.js';
import { builder } from './schema/builder.js';
import './schema/scalars.js';
import './schema/events/activity.js';
import './schema/events/events.js';
import './schema/events/undoChange.js';
import './schema/goals/goals.js';
import './schema/goals/reopenGoal.js';
import './schema/hubs/deletedFiles.js';
import './schema/hubs/deleteResourceHubFile.js';
import './schema/hubs/filesAndDocuments.js';
import './schema/hubs/nodes.js';
import './schema/hubs/recoverResourceHubFile.js';
import './schema/hubs/resourceHub.js';
import './schema/hubs/restoreDocumentVersion.js';
import './schema/hubs/versions.js';
import './schema/people/people.js';
import './schema/people/spaces.js';
import './schema/people/viewer.js';

export const schema = withStoredValues(builder.toSchema());

/** The SDL as it is committed in schema.graphql. */
export const sdl = () => `${printSchema(lexicographicSortSchema(schema))}\n`;
