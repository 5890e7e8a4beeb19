import { Prisma } from '../generated/client/client.js';
import type { Actor } from '../policies/access.js';
import { type CursorKind, type List, rowsOfRecord } from './engine.js';

type Subject = 'goal' | 'file' | 'document';

export const activityCursor = (subject: Subject): CursorKind => ({ name: `${subject}.activities`, key: 'timestamptz' });

/** The activities of each goal, file or document in the scopes, newest first. */
export const activityList = (actor: Actor, subject: Subject): List =>
  rowsOfRecord(actor, { ...activityCursor(subject), table: 'activities', of: `${subject}_id`, by: 'inserted_at' });

export const deletedFileCursor: CursorKind = { name: 'resourceHub.deletedFiles', key: 'timestamptz' };

/** The deleted files of each hub in the scopes, latest deletion first. */
export const deletedFileList = (actor: Actor): List =>
  rowsOfRecord(actor, {
    ...deletedFileCursor,
    table: 'resource_hub_files',
    of: 'resource_hub_id',
    by: 'deleted_at',
    where: Prisma.sql`r.removed_at IS NULL`,
  });

export const versionCursor: CursorKind = { name: 'resourceHubDocument.versions', key: 'integer' };

/** The versions of each document in the scopes, newest first. */
export const versionList = (actor: Actor): List =>
  rowsOfRecord(actor, { ...versionCursor, table: 'document_versions', of: 'document_id', by: 'version_number' });

export const webhookAttemptCursor: CursorKind = { name: 'webhook.attempts', key: 'timestamptz' };

/** The attempts of each webhook in the scopes, newest first. */
export const webhookAttemptList = (actor: Actor): List =>
  rowsOfRecord(actor, { ...webhookAttemptCursor, table: 'webhook_attempts', of: 'webhook_id', by: 'attempted_at' });
