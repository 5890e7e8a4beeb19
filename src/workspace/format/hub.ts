import { z } from 'zod';
import { BlobStatus } from '../../database/generated/client/enums.js';
import { activityFields, comments, reactions, subscriptionList } from './conversations.js';
import {
  id,
  insertedAt,
  integer,
  listOf,
  name,
  optional,
  ownId,
  personId,
  reference,
  text,
  timestamp,
  updatedAt,
} from './fields.js';

export const resourceHub = z
  .strictObject({
    id: id('resource_hubs'),
    space_id: optional(reference('spaces', 'the space it belongs to; set exactly one of space, goal and project')),
    goal_id: optional(reference('goals', 'the goal it belongs to')),
    project_id: optional(reference('projects', 'the project it belongs to')),
    name: name('its name'),
    description: optional(text('plain text or a ProseMirror document as a string')),
    inserted_at: insertedAt(),
    updated_at: updatedAt(),
  })
  .superRefine((hub, { addIssue }) => {
    const parents = [hub.space_id, hub.goal_id, hub.project_id].filter((parent) => parent !== null);
    if (parents.length !== 1)
      addIssue({
        code: 'custom',
        message: `needs exactly one of space_id, goal_id and project_id, not ${parents.length}`,
      });
  });

/** The location of a folder, file or document. */
export const placed = {
  resource_hub_id: reference('resource_hubs', 'the hub it is in'),
  parent_folder_id: optional(
    reference('resource_hub_folders', 'the folder it is in, of the same hub; null: at the root'),
  ),
};

export const folder = z.strictObject({
  id: id('resource_hub_folders'),
  ...placed,
  name: name('its name'),
  description: optional(text('plain text or a ProseMirror document as a string')),
  inserted_at: insertedAt(),
  updated_at: updatedAt(),
});

const blob = z.strictObject({
  id: ownId('blobs'),
  status: z.enum(BlobStatus).default('uploaded').describe('state of the upload'),
  filename: name('name it was uploaded with'),
  size: integer('size in bytes', 0, Number.MAX_SAFE_INTEGER),
  content_type: name('media type, such as image/png'),
  width: optional(integer('width of an image, in pixels', 1)),
  height: optional(integer('height of an image, in pixels', 1)),
  url: optional(text('where the bytes are; they are not imported')),
  inserted_at: insertedAt(),
});

const fileActivity = z.strictObject(activityFields('file'));

export const file = z
  .strictObject({
    id: id('resource_hub_files'),
    ...placed,
    name: name('its name'),
    description: optional(text('plain text or a ProseMirror document as a string')),
    author_id: personId('who added it'),
    blob: blob.describe('what was uploaded'),
    comments: comments(),
    reactions: reactions(),
    subscription_list: subscriptionList(),
    activities: listOf(fileActivity).describe('what happened to it'),
    inserted_at: insertedAt(),
    updated_at: updatedAt(),
    deleted_at: optional(timestamp('when it was deleted; a deleted file stays in the database but is not shown')),
    deleted_by_id: optional(personId('who deleted it')),
  })
  .superRefine((record, { addIssue }) => {
    if (record.deleted_by_id !== null && record.deleted_at === null)
      addIssue({ code: 'custom', path: ['deleted_by_id'], message: 'is only for a deleted file' });
  });
