import * as z from 'zod';
import { BlobStatus, DocumentState, VersionOrigin } from '../../generated/client/enums.js';
import {
  activityFields,
  comments,
  filename,
  id,
  insertedAt,
  integer,
  listOf,
  name,
  optional,
  ownId,
  personId,
  reactions,
  recordOf,
  reference,
  subscriptionList,
  text,
  times,
  timestamp,
} from './fields.js';

export const resourceHub = recordOf('resource_hubs', {
  id: id(),
  space_id: optional(reference('spaces', 'the space it belongs to; set exactly one of space, goal and project')),
  goal_id: optional(reference('goals', 'the goal it belongs to')),
  project_id: optional(reference('projects', 'the project it belongs to')),
  name: name('its name'),
  description: optional(text('plain text or a ProseMirror document as a string')),
  ...times(),
}).superRefine((hub, { addIssue }) => {
  const parents = [hub.space_id, hub.goal_id, hub.project_id].filter((parent) => parent !== null);
  if (parents.length !== 1)
    addIssue({
      code: 'custom',
      message: `needs exactly one of space_id, goal_id and project_id, not ${parents.length}`,
    });
});

/** The location of a folder, file or document. */
const placed = {
  resource_hub_id: reference('resource_hubs', 'the hub it is in'),
  parent_folder_id: optional(
    reference('resource_hub_folders', 'the folder it is in, of the same hub; null: at the root'),
  ),
};

export const folder = recordOf('resource_hub_folders', {
  id: id(),
  ...placed,
  name: name('its name'),
  description: optional(text('plain text or a ProseMirror document as a string')),
  ...times(),
});

const blob = recordOf('blobs', {
  id: ownId(),
  status: z.enum(BlobStatus).default('uploaded').describe('state of the upload'),
  filename: filename('name it was uploaded with'),
  size: integer('size in bytes', 0, Number.MAX_SAFE_INTEGER),
  content_type: name('media type, such as image/png'),
  width: optional(integer('width of an image, in pixels', 1)),
  height: optional(integer('height of an image, in pixels', 1)),
  url: optional(text('where the bytes are; they are not imported')),
  inserted_at: insertedAt(),
});

export const file = recordOf('resource_hub_files', {
  id: id(),
  ...placed,
  name: name('its name'),
  description: optional(text('plain text or a ProseMirror document as a string')),
  author_id: personId('who added it'),
  blob: blob.describe('what was uploaded'),
  comments: comments(),
  reactions: reactions(),
  subscription_list: subscriptionList(),
  activities: listOf(z.strictObject(activityFields('file'))).describe('what happened to it'),
  ...times(),
  deleted_at: optional(timestamp('when it was deleted; a deleted file stays in the database but is not shown')),
  deleted_by_id: optional(personId('who deleted it')),
}).superRefine((record, { addIssue }) => {
  if (record.deleted_by_id !== null && record.deleted_at === null)
    addIssue({ code: 'custom', path: ['deleted_by_id'], message: 'is only for a deleted file' });
});

const version = recordOf('document_versions', {
  id: ownId(),
  version_number: integer('1, 2, 3 … in order', 1),
  title: name('title of the document at this version'),
  content: text('content of the document at this version'),
  editor_id: personId('who made it'),
  origin: optional(
    z
      .enum(VersionOrigin)
      .describe(
        'how it was made; default: `published` for version 1, `restored` with `restored_from_version_number`, else `edited`',
      ),
  ),
  restored_from_version_number: optional(
    integer('the version it was restored from; required if `origin` is `restored`, else omitted', 1),
  ),
  inserted_at: insertedAt(),
});

/** How a version was made, if the file does not say it. */
const originOf = ({ origin, version_number: number, restored_from_version_number: source }: z.output<typeof version>) =>
  origin ?? (source !== null ? 'restored' : number === 1 ? 'published' : 'edited');

const documentActivity = z.strictObject({
  ...activityFields('document'),
  version_number: optional(
    integer(
      'the version that was added; required for `document_version_restored`, else by default the one that the same person added at the same time',
      1,
    ),
  ),
});

const documentRecord = recordOf('resource_hub_documents', {
  id: id(),
  ...placed,
  name: name('its title; once published, the title of the last version'),
  content: text('plain text or a ProseMirror document as a string; once published, the content of the last version'),
  author_id: personId('who wrote it; only they see a draft'),
  state: z.enum(DocumentState).describe('a draft has no versions yet'),
  published_at: optional(timestamp('when it was published; required unless it is a draft')),
  current_version: optional(integer('number of the last version, which is also the default', 1)),
  versions: listOf(version).describe(
    'the versions of a published document, from 1 on; an update may begin with a later one',
  ),
  // Whoever knows it can read the document. If it is omitted, it is undefined, and an update leaves it as it is.
  public_token: z
    .string()
    .regex(/^[\w-]{1,200}$/, 'must be 1 to 200 letters, digits, - or _')
    .describe('last part of its public link; set while sharing is on; an update that omits it leaves it')
    .nullable()
    .optional(),
  comments: comments(),
  reactions: reactions(),
  subscription_list: subscriptionList(),
  activities: listOf(documentActivity).describe(
    'what happened to it; a new version that none is about gets one, of its editor and time',
  ),
  ...times(),
  deleted_at: optional(timestamp('when it was deleted; a deleted document stays in the database but is not shown')),
});

type Issue = (message: string, ...path: (string | number)[]) => void;

export const document = documentRecord
  .superRefine((record, { addIssue }) => {
    const issue: Issue = (message, ...path) => addIssue({ code: 'custom', path, message });
    (record.state === 'draft' ? checkDraft : checkHistory)(record, issue);
    for (const [index, { action, version_number: number }] of record.activities.entries()) {
      if (action === 'document_version_restored' && number === null)
        issue('is required for document_version_restored', 'activities', index, 'version_number');
    }
  })
  .transform((record) =>
    // A list that is omitted stays the one by which that is known.
    record.versions.length === 0
      ? { ...record, versions: record.versions as never[] }
      : { ...record, versions: record.versions.map((each) => ({ ...each, origin: originOf(each) })) },
  );

function checkDraft(record: z.output<typeof documentRecord>, issue: Issue): void {
  for (const field of ['published_at', 'public_token', 'current_version'] as const)
    if (record[field] != null) issue('is only for a published document', field);
  if (record.versions.length > 0) issue('a draft has none', 'versions');
}

function checkHistory(record: z.output<typeof documentRecord>, issue: Issue): void {
  if (record.published_at === null) issue('is required for a published document', 'published_at');
  for (const [index, each] of record.versions.entries()) {
    const { version_number: number, restored_from_version_number: source } = each;
    const origin = originOf(each);
    const path = ['versions', index, 'restored_from_version_number'];
    const expected = Math.max(record.versions[0]?.version_number ?? 1, 1) + index;
    if (number !== expected)
      issue(
        `must be ${expected}, versions are listed from ${expected - index} on`,
        'versions',
        index,
        'version_number',
      );
    if (origin !== 'restored' && source !== null) issue('is only for the origin restored', ...path);
    if (origin === 'restored' && source === null) issue('is required for the origin restored', ...path);
    if (source !== null && source >= number) issue(`must be lower than version_number ${number}`, ...path);
  }
  const last = record.versions.at(-1);
  if (!last) return;
  if (record.name !== last.title) issue('must be the title of the last version', 'name');
  if (record.content !== last.content) issue('must be the content of the last version', 'content');
  if (record.current_version !== null && record.current_version !== last.version_number)
    issue(`must be ${last.version_number}, the last version`, 'current_version');
}
