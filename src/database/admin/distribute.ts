import type { Client } from 'pg';
import { withCoordinator } from './distribution/coordinator.js';
import { hinderingKeys, type Placement, placementsOf } from './distribution/placements.js';
import { readStructure } from './distribution/structure.js';

/** The tables that are not placed yet, each after those it refers to. Throws a DatabaseError if this is no coordinator. */
export const plannedPlacements = (url: string): Promise<Placement[]> =>
  withCoordinator(url, async (client) => placementsOf(await readStructure(client)));

/** Places these tables, all or none. Waits for the transactions that use them, and others wait for it. */
export const distribute = (url: string, onPlaced: (placement: Placement) => void): Promise<void> =>
  withCoordinator(url, async (client) => {
    await client.query('BEGIN');
    const structure = await readStructure(client);
    const placements = placementsOf(structure);
    // Citus checks a transaction's foreign keys to copied tables only if it works on one shard at a time.
    await client.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    // Our triggers read only rows of the company they run for, so they are safe on its shard.
    await client.query('SET LOCAL citus.enable_unsafe_triggers = on');
    const hindering = hinderingKeys(structure, placements);
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
  const { column, colocated } = by;
  const group = table === 'companies' || !colocated ? 'none' : 'companies';
  return client.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [table, column, group]);
}
