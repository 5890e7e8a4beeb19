import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, serverAccount } from '../../src/platform/embedded/server.js';
import { query } from './query.js';

/** Whether the tests reach PostgreSQL through PgBouncer. Debian's (1.18) knows no prepared statements by name. */
export const usesPgbouncer = process.env.TEST_PGBOUNCER === 'on';
export const preparedStatements = !usesPgbouncer;

/** The settings of docs/database.md, for a server at `url`. */
const settingsFor = ({ hostname, port }: URL, folder: string, ownPort: number) => `
[databases]
* = host=${hostname} port=${port || 5432}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'userlist.txt')}
pool_mode = transaction
default_pool_size = 60
max_client_conn = 1000
server_login_retry = 1
`;

/**
 * PgBouncer, with transaction pooling, in front of the server. `tls` is what its settings say of TLS, with which it is
 * reached by the parameters of `search`. Throws if it is not installed.
 */
export async function startPgbouncer(
  serverUrl: string,
  gateway?: { name: string; password: string },
  { tls = [] as string[], search = '' } = {},
): Promise<{ port: number; stop(): Promise<void> }> {
  if (spawnSync('pgbouncer', ['--version']).error) throw new Error('TEST_PGBOUNCER=on needs pgbouncer in the PATH');
  const server = new URL(serverUrl);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  const admin = { name: decodeURIComponent(server.username), password: decodeURIComponent(server.password) };
  const users = [admin, ...(gateway ? [gateway] : [])].map(({ name, password }) => `"${name}" "${password}"\n`);
  await writeFile(join(folder, 'userlist.txt'), users.join(''));
  await writeFile(file, [settingsFor(server, folder, port), ...tls].join('\n'));
  const { uid, gid } = serverAccount();
  if (uid && gid) await chown(folder, uid, gid);
  await chmod(folder, 0o755);
  // It refuses to run as root, as PostgreSQL does.
  const child = spawn('pgbouncer', [file], { ...(uid && gid && { uid, gid }), stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2000);
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(folder, { recursive: true });
  };
  server.port = String(port);
  server.hostname = '127.0.0.1';
  server.search = search;
  for (let attempt = 1; ; attempt++) {
    try {
      await query(server.href, 'SELECT 1');
      return { port, stop };
    } catch (error) {
      if (attempt < 100 && child.exitCode === null) await sleep(50);
      else throw new Error(`pgbouncer did not start: ${output}`, { cause: error });
    }
  }
}
