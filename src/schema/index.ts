import { lexicographicSortSchema, printSchema } from 'graphql';
import { withStoredValues } from '../platform/graphql/index.js';
import '../webhooks/index.js';
import { builder } from './builder.js';
import './scalars.js';
import './events/activity.js';
import './events/events.js';
import './events/undoChange.js';
import './goals/goals.js';
import './goals/reopenGoal.js';
import './hubs/deletedFiles.js';
import './hubs/deleteResourceHubFile.js';
import './hubs/filesAndDocuments.js';
import './hubs/nodes.js';
import './hubs/recoverResourceHubFile.js';
import './hubs/resourceHub.js';
import './hubs/restoreDocumentVersion.js';
import './hubs/versions.js';
import './people/people.js';
import './people/spaces.js';
import './people/viewer.js';

export const schema = withStoredValues(builder.toSchema());

/** The SDL as it is committed in schema.graphql. */
export const sdl = () => `${printSchema(lexicographicSortSchema(schema))}\n`;
