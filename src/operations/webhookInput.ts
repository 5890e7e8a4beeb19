import type { Context } from '../context.js';
import { badInput, type FieldError, failure } from '../errors/failures.js';
import { OpenAddresses } from '../events/webhooks/sending/openAddresses.js';
import { urlProblem } from '../events/webhooks/sending/urlProblem.js';

/** Requires that this gateway sends webhooks. Throws 501. */
export function requireKey({ webhooks: { keys } }: Context): string {
  const [key] = keys;
  if (key === undefined) throw failure('NOT_CONFIGURED', { setting: 'WEBHOOK_KEY' });
  return key;
}

/** Requires a URL to which webhooks may be sent, as far as can be known now. Throws 400. */
export function requireUrl(context: Context, url: string): void {
  const { allow, own } = context.webhooks;
  const problem = urlProblem(url, { open: new OpenAddresses(allow), own });
  if (problem) throw badInput([{ field: 'input.url', ...problem }], context);
}

/** Requires a sequence that the company has reached: what is after a later one would be left out. Throws 400. */
export async function requireReached(context: Context, after: number | null | undefined): Promise<void> {
  if (after == null) return;
  const { db, actor } = context;
  const [company] = await db.$queryRaw<{ last: bigint }[]>`
    SELECT last_sequence AS last FROM companies WHERE id = ${actor.companyId}`;
  const last = Number(company?.last ?? 0);
  const message = `must be at most ${last}, the sequence of the last event`;
  if (after > last) throw badInput([{ field: 'input.after', code: 'too_large', message }], context);
}

/** For the `extensions.check` of a mutation: a list of actions names at least one. */
export const checkedActions = ({ input }: { input?: { actions?: readonly unknown[] | null } }): FieldError[] =>
  input?.actions?.length === 0
    ? [{ field: 'input.actions', code: 'too_short', message: 'must name at least one action' }]
    : [];
