import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';
import { eachOf, type List } from './engine/list.js';

/** The activities of each goal, file or document in the scopes, newest first. */
export const activityList = ({ companyId }: Actor, subject: 'goal' | 'file' | 'document'): List => ({
  name: `${subject}.activities`,
  key: 'timestamptz',
  descending: true,
  branches: (scopes, walk) => [
    Prisma.sql`SELECT scope.id AS scope, 0 AS rank, a.inserted_at AS key, a.id
      FROM ${eachOf(scopes)} CROSS JOIN LATERAL (
        SELECT a.inserted_at, a.id FROM activities a
        WHERE a.company_id = ${companyId} AND a.${Prisma.raw(`${subject}_id`)} = scope.id
        ${walk({ key: Prisma.sql`a.inserted_at`, id: Prisma.sql`a.id` })}
      ) a`,
  ],
});
