import type { Actor } from '../policies/access.js';
import type { CursorKind, List } from './engine/list.js';
import { newestFirst } from './engine/newestFirst.js';

export const versionCursor: CursorKind = { name: 'resourceHubDocument.versions', key: 'integer' };

/** The versions of each document in the scopes, newest first. */
export const versionList = (actor: Actor): List =>
  newestFirst(actor, { ...versionCursor, table: 'document_versions', of: 'document_id', by: 'version_number' });
