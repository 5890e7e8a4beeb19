import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';
import { type CursorKind, eachOf, type List } from './engine/list.js';

export const versionCursor: CursorKind = { name: 'resourceHubDocument.versions', key: 'integer' };

/** The versions of each document in the scopes, newest first. */
export const versionList = ({ companyId }: Actor): List => ({
  ...versionCursor,
  descending: true,
  branches: (scopes, walk) => [
    Prisma.sql`SELECT scope.id AS scope, 0 AS rank, v.version_number AS key, v.id
      FROM ${eachOf(scopes)} CROSS JOIN LATERAL (
        SELECT v.version_number, v.id FROM document_versions v
        WHERE v.company_id = ${companyId} AND v.document_id = scope.id
        ${walk({ key: Prisma.sql`v.version_number`, id: Prisma.sql`v.id` })}
      ) v`,
  ],
});
