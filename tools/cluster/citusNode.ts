import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort, serverAccount } from '../../src/platform/embedded/server.js';
import { startServer } from '../../test/support/postgres.js';
import { query } from '../../test/support/query.js';

// Without fsync a power cut loses data, but no kill of a server does.
const settings = `
shared_preload_libraries = 'citus'
wal_level = logical
max_connections = 300
max_prepared_transactions = 300
max_worker_processes = 40
max_replication_slots = 40
max_wal_senders = 40
citus.shard_count = 8
citus.node_connection_timeout = 2000
fsync = off
`;

export type CitusNode = Awaited<ReturnType<typeof startCitusNode>>;

/** A server with the extension citus, in a folder of its own below `parent`. `bin` has PostgreSQL's programs. */
export async function startCitusNode(bin: string, parent: string, name: string) {
  const account = serverAccount();
  const directory = join(parent, name);
  const binaries = {
    directory: dirname(bin),
    major: '',
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  };
  await mkdir(directory);
  if (account.uid && account.gid) chownSync(directory, account.uid, account.gid);
  const flags = ['-D', directory, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  const made = spawnSync(join(bin, 'initdb'), flags, { ...account, env: binaries.env, cwd: '/', encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  appendFileSync(join(directory, 'postgresql.conf'), settings);

  const cluster = { directory, serverName: directory, password: '', account, binaries };
  const port = await freePort();
  const start = () => startServer(cluster, [], port);
  let server = await start();
  await query(server.url, 'CREATE EXTENSION citus');

  return {
    name,
    url: server.url,
    port,
    async stop() {
      await server.stop();
    },
    async start() {
      server = await start();
    },
    /** Freezes the server and every connection; returns what lets it go on. */
    async freeze(): Promise<() => void> {
      const postmaster = Number.parseInt(await readFile(join(directory, 'postmaster.pid'), 'utf8'), 10);
      const children = await query(server.url, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
      const pids = [postmaster, ...children.map(({ pid }) => Number(pid))];
      for (const pid of pids) signal(pid, 'SIGSTOP');
      return () => pids.forEach((pid) => void signal(pid, 'SIGCONT'));
    },
  };
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // It has ended.
  }
}
