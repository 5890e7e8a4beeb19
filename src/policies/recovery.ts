import type { Actor } from './access.js';
import { editableBy } from './visibility.js';

/** The deleted files that the caller may recover, in hubs of their own company: not those that an import has removed. */
export const recoverableFile = (actor: Actor) => ({
  companyId: actor.companyId,
  deletedAt: { not: null },
  removedAt: null,
  resourceHub: editableBy(actor),
});
