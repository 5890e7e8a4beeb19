import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';

/**
 * The step `company(id)` of a write. On Citus an INSERT … SELECT stays on the shard of the company, and needs no other
 * node, if its `company_id` is a column of a table, and its ids are given (docs/contributing.md, "Tables and statements").
 */
export const company = ({ companyId }: Actor) =>
  Prisma.sql`company AS NOT MATERIALIZED (SELECT id FROM companies WHERE id = ${companyId})`;
