import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';
import { type CursorKind, eachOf, type List } from './engine/list.js';

export const webhookAttemptCursor: CursorKind = { name: 'webhook.attempts', key: 'timestamptz' };

/** The attempts of each webhook in the scopes, newest first. */
export const webhookAttemptList = ({ companyId }: Actor): List => ({
  ...webhookAttemptCursor,
  descending: true,
  branches: (scopes, walk) => [
    Prisma.sql`SELECT scope.id AS scope, 0 AS rank, a.attempted_at AS key, a.id
      FROM ${eachOf(scopes)} CROSS JOIN LATERAL (
        SELECT a.attempted_at, a.id FROM webhook_attempts a
        WHERE a.company_id = ${companyId} AND a.webhook_id = scope.id
        ${walk({ key: Prisma.sql`a.attempted_at`, id: Prisma.sql`a.id` })}
      ) a`,
  ],
});
