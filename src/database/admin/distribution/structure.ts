import type { Client } from 'pg';
import { DatabaseError } from '../../error.js';

export interface ForeignKey {
  name: string;
  table: string;
  refers_to: string;
  is_deferrable: boolean;
  definition: string;
}

/** What of a database decides where its tables can be placed. */
export interface Structure {
  /** Tables with the columns by which they can be placed. */
  tables: { name: string; has_company: boolean; is_placed: boolean; is_unlogged: boolean }[];
  foreignKeys: ForeignKey[];
  /** The deferred triggers, which rows that move to their shard would set off. */
  triggers: { name: string; table: string; definition: string }[];
}

/** Reads the structure. Throws a DatabaseError if there are no tables yet. */
export async function readStructure(client: Client): Promise<Structure> {
  const tables = await client.query<Structure['tables'][number]>(`
    SELECT c.relname AS name, EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid) AS is_placed,
      c.relpersistence = 'u' AS is_unlogged,
      EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'company_id') AS has_company
    FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY c.oid`);
  const foreignKeys = await client.query<ForeignKey>(`
    SELECT conname AS name, conrelid::regclass::text AS "table", confrelid::regclass::text AS refers_to,
      condeferrable AS is_deferrable, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conparentid = 0`);
  const triggers = await client.query<Structure['triggers'][number]>(`
    SELECT tgname AS name, tgrelid::regclass::text AS "table", pg_get_triggerdef(oid) AS definition
    FROM pg_trigger t WHERE NOT tgisinternal AND tgdeferrable
      AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = t.tgrelid)`);
  if (!tables.rows.some(({ name }) => name === 'companies'))
    throw new DatabaseError('This database has no Goalpost tables yet. Run `npx goalpost migrate` first.');
  return { tables: tables.rows, foreignKeys: foreignKeys.rows, triggers: triggers.rows };
}
