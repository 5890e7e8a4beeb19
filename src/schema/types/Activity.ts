import { builder } from '../builder.js';
import { Person } from './Person.js';

const ActivityAction = builder.enumType('ActivityAction', {
  description: 'What happened.',
  values: {
    GOAL_CREATED: { value: 'goal_created', description: 'A goal was created.' },
    GOAL_CLOSED: { value: 'goal_closed', description: 'A goal was closed.' },
    GOAL_REOPENED: { value: 'goal_reopened', description: 'A closed goal was reopened.' },
    RESOURCE_HUB_FILE_CREATED: { value: 'resource_hub_file_created', description: 'A file was added to a hub.' },
    RESOURCE_HUB_FILE_DELETED: { value: 'resource_hub_file_deleted', description: 'A file of a hub was deleted.' },
    RESOURCE_HUB_DOCUMENT_CREATED: { value: 'resource_hub_document_created', description: 'A document was published.' },
    RESOURCE_HUB_DOCUMENT_EDITED: { value: 'resource_hub_document_edited', description: 'A document was edited.' },
    DOCUMENT_VERSION_RESTORED: {
      value: 'document_version_restored',
      description: 'An earlier version of a document was restored.',
    },
  } as const,
});

export const Activity = builder.prismaObject('Activity', {
  description: 'Something a person did to a goal, a file or a document.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the activity.' }),
    action: t.expose('action', { type: ActivityAction, description: 'What happened.' }),
    author: t.relation('author', { type: Person, description: 'Who did it.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it happened.' }),
  }),
});
