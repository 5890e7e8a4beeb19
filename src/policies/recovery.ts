import { type Actor, level } from './access.js';

/** The deleted files that the caller may recover, in hubs of their own company. */
export const recoverableFile = ({ companyId, personId }: Actor) => ({
  companyId,
  deletedAt: { not: null },
  resourceHub: { companyId, access: { some: { companyId, personId, level: { gte: level.edit } } } },
});
