import { withBudget } from '../platform/graphql/index.js';
import { builder } from './builder.js';
import './scalars.js';
import './events/activities.js';
import './hubs/deletedFiles.js';
import './events/events.js';
import './hubs/fileAndDocument.js';
import './goals/goalSurroundings.js';
import './goals/goalProgress.js';
import './hubs/nodes.js';
import './people/notifications.js';
import './people/potentialSubscribers.js';
import './hubs/documentVersions.js';
import './goals/goals.js';
import './hubs/restoreDocumentVersion.js';
import './goals/reopenGoal.js';
import './hubs/resourceHub.js';
import './hubs/document.js';
import './hubs/readableText.js';
import './hubs/file.js';
import './hubs/folder.js';
import './people/people.js';
import './people/spaces.js';
import './people/viewer.js';
import './webhooks/webhook.js';
import './webhooks/changeWebhooks.js';
import './hubs/deleteResourceHubFile.js';
import './hubs/recoverResourceHubFile.js';
import { lexicographicSortSchema, printSchema } from 'graphql';

export const schema = withBudget(builder.toSchema());

/** The SDL as it is committed in schema.graphql. */
export const sdl = () => `${printSchema(lexicographicSortSchema(schema))}\n`;
