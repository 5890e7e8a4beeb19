import type { Actor } from '../policies/access.js';
import type { CursorKind, List } from './engine/list.js';
import { rowsOfRecord } from './engine/rowsOfRecord.js';

export const deletedFileCursor: CursorKind = { name: 'resourceHub.deletedFiles', key: 'timestamptz' };

/** The deleted files of each hub in the scopes, latest deletion first. */
export const deletedFileList = (actor: Actor): List =>
  rowsOfRecord(actor, {
    ...deletedFileCursor,
    table: 'resource_hub_files',
    of: 'resource_hub_id',
    by: 'deleted_at',
  });
