import { readFileSync } from 'node:fs';
import { cpuOf } from '../../test/support/processes.js';
import { query } from '../../test/support/query.js';
import { startContender } from '../comparison/contenders.js';
import { startDatabase } from '../comparison/database.js';
import { usualSizes } from '../comparison/dataset.js';
import { closedLoop } from '../comparison/load.js';
import { type WorkloadName, Workloads } from '../comparison/workloads.js';

/** What one request of a kind costs. */
export interface Cost {
  gatewayMilliseconds: number;
  databaseMilliseconds: number;
  walBytes: number;
  rows: number;
  diskBytes: number;
}

export interface Costs {
  perRequest: Map<WorkloadName, Cost>;
  /** Bytes of a row with its indexes, by table. */
  rowBytes: Map<string, number>;
  /** Of one gateway in use. */
  gatewayMegabytes: number;
}

const connections = 4;
const warmUpSeconds = 3;

/** Asks one gateway for each kind of request for some seconds, on a PostgreSQL with its durable settings. */
export async function measureCosts(kinds: WorkloadName[], seconds: number): Promise<Costs> {
  const database = await startDatabase({ ...usualSizes, pool: 2000 });
  const gateway = await startContender('gateway', database.url);
  const workloads = new Workloads({ ...usualSizes, pool: 2000 });
  try {
    const rowBytes = await bytesOfRows(database.url);
    const perRequest = new Map<WorkloadName, Cost>();
    for (const kind of kinds) {
      await closedLoop(gateway, workloads.next[kind], connections, warmUpSeconds);
      await database.run('VACUUM');
      await database.run('CHECKPOINT');
      const [before, cpu] = [await storedIn(database.url), { own: cpuOf(gateway.pid), database: database.cpu() }];
      const { latencies, failures } = await closedLoop(gateway, workloads.next[kind], connections, seconds);
      const used = { own: cpuOf(gateway.pid) - cpu.own, database: database.cpu() - cpu.database };
      const wal = await storedIn(database.url);
      await database.run('VACUUM');
      const after = await storedIn(database.url);
      if (failures[0]) throw new Error(failures[0]);
      const count = latencies.length;
      perRequest.set(kind, {
        gatewayMilliseconds: (1000 * used.own) / count,
        databaseMilliseconds: (1000 * used.database) / count,
        walBytes: (wal.wal - before.wal) / count,
        rows: (after.rows - before.rows) / count,
        diskBytes: (after.disk - before.disk) / count,
      });
      console.error(`${kind}: ${count} requests`);
    }
    const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
    return { perRequest, rowBytes, gatewayMegabytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024 };
  } finally {
    await gateway.stop();
    await database.stop();
  }
}

const ownTables =
  "SELECT c.oid, c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'";

/** How much there is: log written so far, rows, and bytes on disk. */
async function storedIn(url: string): Promise<{ wal: number; rows: number; disk: number }> {
  const tables = await query(url, ownTables);
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM ${name})`).join(' + ');
  const sizes = tables.map(({ oid }) => `pg_total_relation_size(${oid})`).join(' + ');
  const [row] = await query(url, `SELECT pg_current_wal_lsn() - '0/0' AS wal, (${counts}) AS rows, (${sizes}) AS disk`);
  return { wal: Number(row?.wal), rows: Number(row?.rows), disk: Number(row?.disk) };
}

async function bytesOfRows(url: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { oid, name } of await query(url, ownTables)) {
    const [row] = await query(url, `SELECT pg_total_relation_size(${oid}) AS bytes, count(*) AS count FROM ${name}`);
    if (Number(row?.count) > 0) found.set(`${name}`, Number(row?.bytes) / Number(row?.count));
  }
  return found;
}
