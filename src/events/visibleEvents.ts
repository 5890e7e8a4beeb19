import { Prisma } from '../database/generated/client/client.js';
import { level } from '../policies/access.js';

/**
 * Whether a person may see the event of an activity `a`: the rule of `canViewNameOfSubject` in policies/visibility.ts in
 * SQL. Scalar subqueries, so that PostgreSQL looks up one event at a time and stops when it has enough.
 */
export function isVisible(companyId: string, person: Prisma.Sql): Prisma.Sql {
  const onHub = (hub: Prisma.Sql) => Prisma.sql`(
    SELECT v.level FROM resource_hub_access v
    WHERE v.company_id = ${companyId} AND v.person_id = ${person} AND v.resource_hub_id = (${hub}))`;
  return Prisma.sql`CASE
    WHEN a.goal_id IS NOT NULL THEN (
      SELECT v.level FROM goal_access v
      WHERE v.company_id = ${companyId} AND v.person_id = ${person} AND v.goal_id = a.goal_id)
    WHEN a.file_id IS NOT NULL THEN ${onHub(Prisma.sql`
      SELECT f.resource_hub_id FROM resource_hub_files f WHERE f.company_id = ${companyId} AND f.id = a.file_id`)}
    ELSE ${onHub(Prisma.sql`
      SELECT d.resource_hub_id FROM resource_hub_documents d
      WHERE d.company_id = ${companyId} AND d.id = a.document_id AND (d.state = 'published' OR d.author_id = ${person})`)}
    END >= ${Prisma.raw(String(level.view))}`;
}
