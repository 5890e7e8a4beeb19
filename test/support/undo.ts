import { revokeForUndo, type Undoing, undoChanges } from '../../src/operations/undo.js';
import { disableWebhooksOf } from '../../src/webhooks/operators.js';
import type { World } from './world.js';

interface Options {
  dryRun?: boolean;
  since?: Date | null;
  as?: string;
}

/** What `goalpost token undo` does, without a process of its own. */
export async function undoToken({ db }: World, id: string, { dryRun = false, since = null, as }: Options = {}) {
  const { companyId, personId } = await db.apiToken.findFirstOrThrow({ where: { id } });
  const token = { companyId, tokenId: id, authorId: as ?? personId };
  if (!dryRun) await revokeForUndo(db, token);
  const changes: Undoing[] = [];
  for await (const change of undoChanges(db, token, { since, dryRun })) changes.push(change);
  return { changes, webhooks: await disableWebhooksOf(db, token, { since, dryRun }) };
}
