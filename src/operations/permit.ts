import { failure, notFound } from '../errors/failures.js';
import { type Access, canEdit, canView, level, levelOf } from '../policies/access.js';

/** Requires edit access: below view the resource does not exist (404); below edit it may not be changed (403). */
export function permitEdit(what: string, id: string, row: Access | null | undefined): asserts row {
  if (!row || !canView(row)) throw notFound(what, id);
  if (!canEdit(row)) throw failure('FORBIDDEN', { requiredAccess: level.edit, yourAccess: levelOf(row) });
}
