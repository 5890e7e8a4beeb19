import type { Actor } from './access.js';
import { editableBy } from './visibility.js';

/** The deleted files that the caller may recover, in hubs of their own company. */
export const recoverableFile = (actor: Actor) => ({
  companyId: actor.companyId,
  deletedAt: { not: null },
  resourceHub: editableBy(actor),
});
