import { badInput } from '../failures/index.js';
import type { RequestHead } from './request.js';

/** The header of the one precondition that a surface may read. */
export const preconditionHeader = 'If-Match';

/** What is wrong with an expected state beside an input that names no record. */
export const expectsNothing = 'expects a state, but the input names no record that could be in it';

/**
 * Throws 400 for a precondition that nobody would look at: a change that its caller has bound to something must not be made
 * without. `instead` says how a request says what it expects, where that is not `If-Match`.
 */
export function requireReadPreconditions({ headers }: Pick<RequestHead, 'headers'>, instead: string | undefined): void {
  const unread = [...(instead ? [preconditionHeader] : []), 'If-None-Match', 'If-Unmodified-Since'];
  const sent = unread.filter((name) => headers.has(name.toLowerCase()));
  if (sent.length === 0) return;
  throw badInput(
    sent.map((field) => ({ field, code: 'invalid', message: `is not read here${instead ? `: ${instead}` : ''}` })),
  );
}
