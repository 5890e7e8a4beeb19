import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, serverAccount } from '../../src/platform/embedded/server.js';
import { query } from '../../test/support/query.js';
import { DatabaseMachine } from './databaseMachine.js';
import { Program } from './program.js';
import { startHaproxy, startPgbouncer } from './proxies.js';

export type DatabaseCluster = Awaited<ReturnType<typeof startDatabaseCluster>>;

const patienceMilliseconds = 120_000;
const password = () => randomBytes(16).toString('hex');

/** Waits until it is true. Throws with the words if that takes too long. */
export async function until(what: string, isTrue: () => Promise<boolean | undefined>): Promise<void> {
  for (const end = performance.now() + patienceMilliseconds; !(await isTrue().catch(() => false)); await sleep(100))
    if (performance.now() > end) throw new Error(`${what}: not within ${patienceMilliseconds / 1000} s`);
}

/** etcd, three machines with Patroni and PostgreSQL, HAProxy that follows the primary, and PgBouncer in front of that. */
export async function startDatabaseCluster(gatewayPorts: number[]) {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-cluster-'));
  const { uid, gid } = serverAccount();
  if (uid && gid) await chown(folder, uid, gid);
  await chmod(folder, 0o755);
  const [etcdPort, peerPort] = [await freePort(), await freePort()];
  const etcd = new Program(folder, 'etcd', 'etcd', [
    ...['--name', 'one', '--data-dir', join(folder, 'etcd'), '--initial-cluster', `one=http://127.0.0.1:${peerPort}`],
    ...[
      '--listen-client-urls',
      `http://127.0.0.1:${etcdPort}`,
      '--advertise-client-urls',
      `http://127.0.0.1:${etcdPort}`,
    ],
    ...['--listen-peer-urls', `http://127.0.0.1:${peerPort}`],
    ...['--initial-advertise-peer-urls', `http://127.0.0.1:${peerPort}`],
  ]);
  await until('etcd answers', async () => (await fetch(`http://127.0.0.1:${etcdPort}/health`)).ok);

  const passwords = { superuser: password(), replication: password() };
  const machines: DatabaseMachine[] = [];
  for (const name of ['one', 'two', 'three']) {
    machines.push(await DatabaseMachine.prepare(folder, name, etcdPort, passwords));
  }
  const stateOf = async (wanted: (role: string) => boolean) => {
    const states = await Promise.all(machines.map((machine) => machine.state()));
    return machines.filter((_, index) => states[index]?.state === 'running' && wanted(states[index].role));
  };
  const leader = async () => (await stateOf((role) => role === 'primary' || role === 'master'))[0];
  const replicas = () => stateOf((role) => role === 'replica');
  /** Until there is a primary and so many replicas that stream from it, one of them synchronously. */
  const complete = (replicaCount: number) =>
    until(`a primary and ${replicaCount} replicas`, async () => {
      const primary = await leader();
      if (!primary || (await replicas()).length !== replicaCount) return false;
      const streams = await query(superuserUrl(primary.port), 'SELECT sync_state FROM pg_stat_replication');
      return streams.length === replicaCount && streams.some(({ sync_state }) => sync_state === 'sync');
    });
  const superuserUrl = (port: number, database = 'postgres') =>
    `postgresql://postgres:${passwords.superuser}@127.0.0.1:${port}/${database}`;

  for (const machine of machines) {
    machine.start();
    // The first one makes the cluster, the others copy it.
    await until('a primary', async () => (await leader()) !== undefined);
  }
  await complete(2);
  const ports = { gateways: await freePort(), primary: await freePort(), pgbouncer: await freePort() };
  const haproxy = await startHaproxy(folder, ports, machines, gatewayPorts);
  const user = { name: 'goalpost', password: password() };
  const primaryUrl = superuserUrl(ports.primary, 'goalpost');
  const admin = superuserUrl((await leader())?.port ?? 0);
  await query(admin, `CREATE ROLE ${user.name} LOGIN PASSWORD '${user.password}'`);
  await query(admin, `CREATE DATABASE goalpost OWNER ${user.name}`);
  // Before its first checks, HAProxy takes every server for the primary.
  let found = 0;
  await until('HAProxy finds the primary', async () => {
    const [row] = await query(superuserUrl(ports.primary), 'SELECT pg_is_in_recovery() AS standby');
    found = row?.standby === false ? found + 1 : 0;
    return found === 10;
  });
  const pgbouncer = await startPgbouncer(folder, ports, user);
  const url = `postgresql://${user.name}:${user.password}@127.0.0.1:${ports.pgbouncer}/goalpost`;
  await until('PgBouncer answers', async () => (await query(url, 'SELECT 1')).length > 0);

  async function stop(): Promise<void> {
    await pgbouncer.stop();
    await haproxy.stop();
    await Promise.all(machines.map((machine) => machine.stop()));
    await etcd.stop();
    await rm(folder, { recursive: true, maxRetries: 20 });
  }

  return {
    machines,
    leader,
    replicas,
    complete,
    stop,
    /** Through PgBouncer and HAProxy to the primary, for the gateways. */
    url,
    /** Through HAProxy to the primary, for whoever looks at what is there. */
    primaryUrl,
    base: `http://127.0.0.1:${ports.gateways}`,
  };
}
