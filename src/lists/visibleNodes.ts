import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';

// The rule of policies/visibility.ts in SQL, for rows `n` of a hub that the caller may see.

/** Selects visible files. */
export const fileCondition = Prisma.sql`n.deleted_at IS NULL`;

const published = Prisma.sql`n.deleted_at IS NULL AND n.state = 'published'`;
const ownDraft = ({ personId }: Actor) =>
  Prisma.sql`n.deleted_at IS NULL AND n.state = 'draft' AND n.author_id = ${personId}`;

/** Select visible documents: exactly one holds for each, so that a list can walk an index of its own for each. */
export const documentConditions = (actor: Actor) => [published, ownDraft(actor)];
