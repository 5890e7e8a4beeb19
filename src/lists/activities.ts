import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';
import { type CursorKind, eachOf, type List } from './engine/list.js';

type Subject = 'goal' | 'file' | 'document';

export const activityCursor = (subject: Subject): CursorKind => ({ name: `${subject}.activities`, key: 'timestamptz' });

/** The activities of each goal, file or document in the scopes, newest first. */
export const activityList = ({ companyId }: Actor, subject: Subject): List => ({
  ...activityCursor(subject),
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
