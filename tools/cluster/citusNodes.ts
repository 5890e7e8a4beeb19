import { query } from '../../test/support/query.js';

/** The companies by the port of the worker that has them. */
export async function companiesByWorker(coordinator: string): Promise<Map<number, Set<string>>> {
  const rows = await query(
    coordinator,
    `SELECT c.id, n.nodeport AS port FROM companies c
     JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('companies', c.id)
     JOIN pg_dist_node n ON n.groupid = p.groupid`,
  );
  const found = new Map<number, Set<string>>();
  for (const { id, port } of rows) found.set(Number(port), (found.get(Number(port)) ?? new Set()).add(String(id)));
  return found;
}

/** Where the database is on each worker. */
export async function workerUrls(coordinator: string): Promise<string[]> {
  const nodes = await query(coordinator, 'SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0');
  return nodes.map(({ nodename, nodeport }) => {
    return Object.assign(new URL(coordinator), { hostname: `${nodename}`, port: `${nodeport}` }).href;
  });
}

/** Runs the work while nobody can connect to the database of a worker, and nobody is connected. */
export async function whileLost<Result>(worker: string, work: () => Promise<Result>): Promise<Result> {
  const besides = Object.assign(new URL(worker), { pathname: 'postgres' }).href;
  const database = new URL(worker).pathname.slice(1);
  await query(besides, `ALTER DATABASE "${database}" ALLOW_CONNECTIONS false`);
  try {
    await query(besides, 'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1', [
      database,
    ]);
    return await work();
  } finally {
    await query(besides, `ALTER DATABASE "${database}" ALLOW_CONNECTIONS true`);
  }
}
