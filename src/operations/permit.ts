import { failure, notFound } from '../errors/failures.js';
import { canEdit, canView, level, levelOf } from '../policies/access.js';

type Access = { access: { level: number }[] };

/** Below view it does not exist (404); below edit it may not be changed (403). */
export function permitEdit(what: string, id: string, access: Access | undefined): asserts access {
  if (!access || !canView(access)) throw notFound(what, id);
  if (!canEdit(access)) throw failure('FORBIDDEN', { requiredAccess: level.edit, yourAccess: levelOf(access) });
}

/** Counts the times an operation looks again because someone was faster: nobody is, so often. */
export function again(tries: number): number {
  if (tries <= 1) throw new Error('the write was refused again and again, though what was read allows it');
  return tries - 1;
}
