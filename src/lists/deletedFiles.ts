import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';
import { type CursorKind, eachOf, type List } from './engine/list.js';

export const deletedFileCursor: CursorKind = { name: 'resourceHub.deletedFiles', key: 'timestamptz' };

/** The deleted files of each hub in the scopes, latest deletion first. */
export const deletedFileList = ({ companyId }: Actor): List => ({
  ...deletedFileCursor,
  descending: true,
  branches: (scopes, walk) => [
    Prisma.sql`SELECT scope.id AS scope, 0 AS rank, f.deleted_at AS key, f.id
      FROM ${eachOf(scopes)} CROSS JOIN LATERAL (
        SELECT f.deleted_at, f.id FROM resource_hub_files f
        WHERE f.company_id = ${companyId} AND f.resource_hub_id = scope.id AND f.deleted_at IS NOT NULL
        ${walk({ key: Prisma.sql`f.deleted_at`, id: Prisma.sql`f.id` })}
      ) f`,
  ],
});
