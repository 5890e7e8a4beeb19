import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../test/support/query.js';
import { type CitusNode, startCitusNode } from './citusNode.js';
import { companiesByWorker } from './citusNodes.js';

/** A coordinator with two workers, all of them empty. */
export async function startCitusCluster(bin: string) {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-citus-'));
  await chmod(folder, 0o755);
  const coordinator = await startCitusNode(bin, folder, 'coordinator');
  const workers: CitusNode[] = [];
  await query(coordinator.url, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);

  async function addWorker(): Promise<CitusNode> {
    const worker = await startCitusNode(bin, folder, `worker ${workers.length + 1}`.replace(' ', ''));
    workers.push(worker);
    await query(coordinator.url, `SELECT citus_add_node('127.0.0.1', ${worker.port})`);
    return worker;
  }

  /** Spreads the companies evenly, while they are used. Resolves when it is done. */
  async function rebalance(): Promise<void> {
    await query(coordinator.url, "SELECT citus_rebalance_start(shard_transfer_mode => 'force_logical')");
    for (;;) {
      const [job] = await query(coordinator.url, 'SELECT state, details FROM citus_rebalance_status()');
      if (job?.state === 'finished') return;
      if (['failed', 'failing', 'cancelled'].includes(`${job?.state}`))
        throw new Error(`the rebalancing ended as ${job?.state}: ${JSON.stringify(job?.details)}`);
      await sleep(500);
    }
  }

  async function stop(): Promise<void> {
    await Promise.all([...workers, coordinator].map((node) => node.stop()));
    await rm(folder, { recursive: true, maxRetries: 20 });
  }

  return {
    ...{ coordinator, workers, addWorker, rebalance, stop },
    companiesByWorker: () => companiesByWorker(coordinator.url),
  };
}
