import type { Actor } from '../policies/access.js';
import type { CursorKind, List } from './engine/list.js';
import { rowsOfRecord } from './engine/rowsOfRecord.js';

export const webhookAttemptCursor: CursorKind = { name: 'webhook.attempts', key: 'timestamptz' };

/** The attempts of each webhook in the scopes, newest first. */
export const webhookAttemptList = (actor: Actor): List =>
  rowsOfRecord(actor, { ...webhookAttemptCursor, table: 'webhook_attempts', of: 'webhook_id', by: 'attempted_at' });
