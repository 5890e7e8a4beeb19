import { spawnSync } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries, openCluster } from '../../src/platform/embedded/cluster.js';
import { nameInside, serverAccount, startServer } from '../../src/platform/embedded/server.js';
import { query } from './query.js';

const common = ['fsync=off'];

/**
 * A primary, and a hot standby without which it acknowledges no change (streaming, synchronous replication); with
 * `isAsynchronous`, it does. `settings` are for both.
 */
export async function startReplicated({ settings = [] as string[], isAsynchronous = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-replicated-'));
  const account = serverAccount();
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  await mkdir(first);
  const binaries = await findBinaries(account, first);
  const original = await openCluster(first, account, binaries, ['--no-sync']);
  // A cluster that has not run yet may be copied as it is.
  spawnSync('cp', ['-a', first, second]);
  const directory = join(second, 'postgres', 'data');
  const copy = { ...original, directory, serverName: nameInside(directory, account) };
  const signal = join(directory, 'standby.signal');
  writeFileSync(signal, '');
  if (account.uid && account.gid) chownSync(signal, account.uid, account.gid);

  const start = (cluster: typeof copy, own: string[], port?: number) =>
    startServer(cluster, account, binaries, [...common, ...settings, ...own], port);
  const primary = await start(original, isAsynchronous ? [] : ['synchronous_standby_names=standby']);
  const source = `host=127.0.0.1 port=${primary.port} user=postgres password=${original.password}`;
  const following = [`primary_conninfo=${source} application_name=standby`, 'cluster_name=standby'];
  let standby = await start(copy, following);
  const isStreaming = async () =>
    (
      await query(
        primary.url,
        `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state <> 'potential'`,
      )
    ).length > 0;
  while (!(await isStreaming())) await sleep(20);
  const kill = async ({ directory }: typeof copy) => {
    const [pid] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGKILL');
  };

  return {
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    /** Names both servers, the standby first. */
    url: primary.url.replace('@', `@127.0.0.1:${standby.port},`),
    /** Ends the primary by SIGKILL. */
    async killPrimary() {
      await kill(original);
      await primary.process.gone;
    },
    /** Ends the standby by SIGKILL. */
    async killStandby() {
      await kill(copy);
      await standby.process.gone;
    },
    /** Starts the standby again, at the same address. */
    async startStandby() {
      standby = await start(copy, following, standby.port);
    },
    promote: () => query(standby.url, 'SELECT pg_promote()'),
    async stop() {
      for (const server of [standby, primary]) server.process.stop();
      await Promise.all([primary.process.gone, standby.process.gone]);
      await rm(folder, { recursive: true, maxRetries: 20 });
    },
  };
}
