import type { Actor } from '../policies/access.js';
import type { CursorKind, List } from './engine/list.js';
import { rowsOfRecord } from './engine/rowsOfRecord.js';

type Subject = 'goal' | 'file' | 'document';

export const activityCursor = (subject: Subject): CursorKind => ({ name: `${subject}.activities`, key: 'timestamptz' });

/** The activities of each goal, file or document in the scopes, newest first. */
export const activityList = (actor: Actor, subject: Subject): List =>
  rowsOfRecord(actor, { ...activityCursor(subject), table: 'activities', of: `${subject}_id`, by: 'inserted_at' });
