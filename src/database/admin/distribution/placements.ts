import { DatabaseError } from '../../error.js';
import type { ForeignKey, Structure } from './structure.js';

/** A table of the structure, and where Citus keeps it: by the company of its rows, by a key, or on every node. */
export interface Placement {
  table: string;
  by: { column: string; colocated: boolean } | 'copies';
}

/** What is found without a company, and what is no company's. */
const copied = ['token_companies', 'public_links', '_prisma_migrations'];
const ownKeys: Record<string, string> = { companies: 'id', rate_limits: 'key' };

/** The tables that are not placed yet, in the order in which they were made, which is the order of their foreign keys; copied tables first. */
export function placementsOf({ tables }: Structure): Placement[] {
  const placements = tables
    .filter(({ is_placed }) => !is_placed)
    .map(({ name: table, has_company }): Placement => {
      if (copied.includes(table)) return { table, by: 'copies' };
      const key = ownKeys[table];
      if (key) return { table, by: { column: key, colocated: table === 'companies' } };
      if (has_company) return { table, by: { column: 'company_id', colocated: true } };
      throw new DatabaseError(`Cannot place the table ${table}: it has no column company_id.`);
    });
  const isCopied = ({ by }: Placement) => by === 'copies';
  return [...placements.filter(isCopied), ...placements.filter((placement) => !isCopied(placement))];
}

/**
 * The foreign keys that Citus cannot keep meanwhile: to a table placed later than their own, to copied tables, and
 * deferred ones, which rows that move to their shard would set off.
 */
export function hinderingKeys({ foreignKeys }: Structure, placements: Placement[]): ForeignKey[] {
  const order = new Map(placements.map(({ table }, position) => [table, position]));
  return foreignKeys.filter(({ table, refers_to, is_deferrable }) => {
    const [own, other] = [order.get(table), order.get(refers_to)];
    if (own === undefined || other === undefined) return false;
    return other > own || is_deferrable || copied.includes(refers_to);
  });
}
