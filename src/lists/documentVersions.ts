import type { Actor } from '../policies/access.js';
import type { CursorKind, List } from './engine/list.js';
import { rowsOfRecord } from './engine/rowsOfRecord.js';

export const versionCursor: CursorKind = { name: 'resourceHubDocument.versions', key: 'integer' };

/** The versions of each document in the scopes, newest first. */
export const versionList = (actor: Actor): List =>
  rowsOfRecord(actor, { ...versionCursor, table: 'document_versions', of: 'document_id', by: 'version_number' });
