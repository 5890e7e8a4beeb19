import { z } from 'zod';
import { DocumentState, VersionOrigin } from '../../database/generated/client/enums.js';
import { activityFields, comments, reactions, subscriptionList } from './conversations.js';
import {
  id,
  insertedAt,
  integer,
  list,
  name,
  optional,
  ownId,
  personId,
  publicToken,
  text,
  timestamp,
  updatedAt,
} from './fields.js';
import { placed } from './hub.js';

const version = z.strictObject({
  id: ownId('document_versions'),
  version_number: integer('1, 2, 3 … in this order', 1),
  title: name("the document's name then"),
  content: text("the document's content then"),
  editor_id: personId('who made it'),
  origin: z.enum(VersionOrigin).describe('how it came about'),
  restored_from_version_number: optional(integer('the earlier version; exactly when `origin` is restored', 1)),
  inserted_at: insertedAt(),
});

const documentActivity = z.strictObject({
  ...activityFields('document'),
  version_number: optional(integer('the version that came of it; exactly when one was restored', 1)),
});

const documentRecord = z.strictObject({
  id: id('resource_hub_documents'),
  ...placed,
  name: name('its title; that of the last version once published'),
  content: text('plain text or a ProseMirror document as a string; that of the last version once published'),
  author_id: personId('who wrote it; a draft is theirs alone'),
  state: z.enum(DocumentState).describe('draft: no versions yet'),
  published_at: optional(timestamp('exactly when published')),
  current_version: optional(integer('default: the last one; it can be no other', 1)),
  versions: list(version).describe('all of them once published, from 1 on'),
  public_token: optional(publicToken('last part of its public link; set while sharing is on')),
  comments: comments(),
  reactions: reactions(),
  subscription_list: subscriptionList(),
  activities: list(documentActivity).describe('what happened to it'),
  inserted_at: insertedAt(),
  updated_at: updatedAt(),
  deleted_at: optional(timestamp('when it was deleted; it is kept, and shown to nobody')),
});

type Issue = (message: string, ...path: (string | number)[]) => void;

export const document = documentRecord.superRefine((record, { addIssue }) => {
  const issue: Issue = (message, ...path) => addIssue({ code: 'custom', path, message });
  (record.state === 'draft' ? checkDraft : checkHistory)(record, issue);
  for (const [index, { action, version_number: number }] of record.activities.entries()) {
    const path = ['activities', index, 'version_number'];
    const isRestore = action === 'document_version_restored';
    if (!isRestore && number !== null) issue('is only for document_version_restored', ...path);
    else if (isRestore && number === null) issue('is required for document_version_restored', ...path);
    else if (isRestore && record.versions[(number ?? 0) - 1]?.origin !== 'restored')
      issue(`no version ${number} with the origin restored is listed`, ...path);
  }
});

function checkDraft(record: z.output<typeof documentRecord>, issue: Issue): void {
  for (const field of ['published_at', 'public_token', 'current_version'] as const)
    if (record[field] !== null) issue('is only for a published document', field);
  if (record.versions.length > 0) issue('a draft has none', 'versions');
}

function checkHistory(record: z.output<typeof documentRecord>, issue: Issue): void {
  if (record.published_at === null) issue('is required for a published document', 'published_at');
  for (const [
    index,
    { version_number: number, origin, restored_from_version_number: source },
  ] of record.versions.entries()) {
    const path = ['versions', index, 'restored_from_version_number'];
    if (number !== index + 1)
      issue(`must be ${index + 1}, versions are listed from 1 on`, 'versions', index, 'version_number');
    if (origin !== 'restored' && source !== null) issue('is only for the origin restored', ...path);
    if (origin === 'restored' && source === null) issue('is required for the origin restored', ...path);
    if (source !== null && source >= number) issue(`must be lower than version_number ${number}`, ...path);
  }
  const last = record.versions.at(-1);
  if (!last) issue('a published document has at least one', 'versions');
  if (!last) return;
  if (record.name !== last.title) issue('must be the title of the last version', 'name');
  if (record.content !== last.content) issue('must be the content of the last version', 'content');
  if (record.current_version !== null && record.current_version !== last.version_number)
    issue(`must be ${last.version_number}, the last version`, 'current_version');
}
