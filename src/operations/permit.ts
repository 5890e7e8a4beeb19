import { forbidden, notFound } from '../errors/failures.js';
import { canEdit, canView, level, levelOf } from '../policies/access.js';

/** Requires edit access: below view the resource does not exist (404); below edit it may not be changed (403). */
export function permitEdit<Row extends Parameters<typeof levelOf>[0]>(
  what: string,
  id: string,
  row: Row | null | undefined,
): asserts row is Row {
  if (!row || !canView(row)) throw notFound(what, id);
  if (!canEdit(row)) throw forbidden(level.edit, levelOf(row));
}
