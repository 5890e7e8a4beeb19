import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';

/**
 * The step `company(id)` of a write. Citus runs an INSERT … SELECT on the node of the company alone only if `company_id`
 * is a column of a table, and no id is a default (docs/contributing.md, "Tables and statements").
 */
export const company = ({ companyId }: Actor) =>
  Prisma.sql`company AS NOT MATERIALIZED (SELECT id FROM companies WHERE id = ${companyId})`;
