import type { Client } from 'pg';
import { DatabaseError, withClient } from '../postgres/index.js';

interface ForeignKey {
  name: string;
  table: string;
  refers_to: string;
  is_deferrable: boolean;
  definition: string;
}

/** What of a database decides where its tables can be placed. */
interface Structure {
  /** Tables with the columns by which they can be placed. */
  tables: { name: string; has_company: boolean; is_placed: boolean; is_unlogged: boolean }[];
  foreignKeys: ForeignKey[];
  /** The deferred triggers, which rows that move to their shard would set off. */
  triggers: { name: string; table: string; definition: string }[];
}

/** What decides where the tables are placed, beside their columns: those of a tenant are placed by `company_id`. */
export interface Tables {
  /** The tenants, placed by their `id`. */
  tenants: string;
  /** What is found without a tenant, of which every node has a copy. */
  copied: readonly string[];
  /** What is no tenant's, and by which column it is placed. */
  ownKeys: Readonly<Record<string, string>>;
}

/** Reads the structure. Throws a DatabaseError if there are no tables yet. */
async function readStructure(client: Client, { tenants }: Tables): Promise<Structure> {
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
  if (!tables.rows.some(({ name }) => name === tenants))
    throw new DatabaseError('This database has no tables yet. Run `npx goalpost migrate` first.');
  return { tables: tables.rows, foreignKeys: foreignKeys.rows, triggers: triggers.rows };
}

/** A table of the structure, and where Citus keeps it: by the company of its rows, by a key, or on every node. */
export interface Placement {
  table: string;
  by: { column: string; colocateWith: string } | 'copies';
}

const isCopied = (table: string, { copied }: Tables) => copied.includes(table) || table === '_prisma_migrations';

/** The tables that are not placed yet, in the order in which they were made, which is the order of their foreign keys; copied tables first. */
function placementsOf({ tables: all }: Structure, tables: Tables): Placement[] {
  const placements = all
    .filter(({ is_placed }) => !is_placed)
    .map(({ name: table, has_company }): Placement => {
      if (isCopied(table, tables)) return { table, by: 'copies' };
      const key = table === tables.tenants ? 'id' : tables.ownKeys[table];
      if (key) return { table, by: { column: key, colocateWith: 'none' } };
      if (has_company) return { table, by: { column: 'company_id', colocateWith: tables.tenants } };
      throw new DatabaseError(`Cannot place the table ${table}: it has no column company_id.`);
    });
  const copies = placements.filter(({ by }) => by === 'copies');
  return [...copies, ...placements.filter(({ by }) => by !== 'copies')];
}

/** The foreign keys that Citus cannot keep meanwhile: to tables placed later, to copied ones, and deferred ones. */
function hinderingKeys({ foreignKeys }: Structure, placements: Placement[], tables: Tables): ForeignKey[] {
  const order = new Map(placements.map(({ table }, position) => [table, position]));
  return foreignKeys.filter(({ table, refers_to, is_deferrable }) => {
    const [own, other] = [order.get(table), order.get(refers_to)];
    if (own === undefined || other === undefined) return false;
    return other > own || is_deferrable || isCopied(refers_to, tables);
  });
}

/** Connects to a Citus coordinator that has workers. Throws a DatabaseError if it is none, or not the role's. */
const withCoordinator = <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> =>
  withClient(url, 'distribute', async (client) => {
    const extension = await client.query("SELECT FROM pg_extension WHERE extname = 'citus'");
    if (extension.rows.length === 0)
      throw new DatabaseError('This is not a Citus database: it lacks the extension citus. Nothing was changed.');
    const group = await client.query('SELECT groupid FROM pg_dist_local_group');
    if (group.rows[0]?.groupid !== 0)
      throw new DatabaseError('This is a worker. Connect to the coordinator. Nothing was changed.');
    const workers = await client.query(
      "SELECT FROM pg_dist_node WHERE groupid <> 0 AND isactive AND shouldhaveshards AND noderole = 'primary'",
    );
    if (workers.rows.length === 0)
      throw new DatabaseError('The coordinator has no workers. Add them with citus_add_node. Nothing was changed.');
    const owner = await client.query(`
      SELECT c.relname AS name FROM pg_class c
      WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND NOT pg_has_role(c.relowner, 'USAGE') LIMIT 1`);
    if (owner.rows.length > 0)
      throw new DatabaseError(`This role does not own the table ${owner.rows[0].name}. Nothing was changed.`);
    return work(client);
  });

/** The tables that are not placed yet, each after those it refers to. Throws a DatabaseError if this is no coordinator. */
export const plannedPlacements = (url: string, tables: Tables): Promise<Placement[]> =>
  withCoordinator(url, async (client) => placementsOf(await readStructure(client, tables), tables));

/** Places these tables, all or none. Waits for the transactions that use them, and others wait for it. */
export const distribute = (url: string, tables: Tables, onPlaced: (placement: Placement) => void): Promise<void> =>
  withCoordinator(url, async (client) => {
    await client.query('BEGIN');
    const structure = await readStructure(client, tables);
    const placements = placementsOf(structure, tables);
    // Citus checks a transaction's foreign keys to copied tables only if it works on one shard at a time.
    await client.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    // Our triggers read only rows of the company they run for, so they are safe on its shard.
    await client.query('SET LOCAL citus.enable_unsafe_triggers = on');
    const hindering = hinderingKeys(structure, placements, tables);
    for (const { table, name } of hindering) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
    for (const { table, name } of structure.triggers) await client.query(`DROP TRIGGER ${name} ON ${table}`);
    for (const placement of placements) {
      // Citus moves a table to another node, while it is used, by its log.
      if (structure.tables.some(({ name, is_unlogged }) => is_unlogged && name === placement.table))
        await client.query(`ALTER TABLE ${placement.table} SET LOGGED`);
      await place(client, placement);
      onPlaced(placement);
    }
    for (const { table, name, definition } of hindering)
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
    for (const { definition } of structure.triggers) await client.query(definition);
    await client.query('COMMIT');
    // The shards are new to their nodes, which would analyze them by themselves, some minutes later.
    for (const { table } of placements) await client.query(`ANALYZE (SKIP_LOCKED) ${table}`).catch(() => {});
  });

function place(client: Client, { table, by }: Placement) {
  if (by === 'copies') return client.query('SELECT create_reference_table($1)', [table]);
  const { column, colocateWith } = by;
  return client.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [table, column, colocateWith]);
}
