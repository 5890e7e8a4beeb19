import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseMachine } from './databaseMachine.js';
import { Program } from './program.js';

interface Ports {
  /** Where clients find the gateways, and PgBouncer the primary. */
  gateways: number;
  primary: number;
  pgbouncer: number;
}

/** HAProxy in front of the gateways, and in front of PostgreSQL, where it follows Patroni to the primary. */
export async function startHaproxy(
  folder: string,
  ports: Ports,
  machines: DatabaseMachine[],
  gatewayPorts: number[],
): Promise<Program> {
  const file = join(folder, 'haproxy.cfg');
  const servers = machines.map(({ name, port, apiPort }) => `  server ${name} 127.0.0.1:${port} check port ${apiPort}`);
  const gateways = gatewayPorts.map((port, number) => `  server gateway-${number + 1} 127.0.0.1:${port}`);
  await writeFile(
    file,
    `defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 30s
  timeout check 5s

listen gateways
  bind 127.0.0.1:${ports.gateways}
  balance roundrobin
  option forwardfor
  option httpchk GET /readyz
  option redispatch
  default-server check inter 500ms fall 2 rise 2
${gateways.join('\n')}

listen primary
  mode tcp
  bind 127.0.0.1:${ports.primary}
  timeout client 1h
  timeout server 1h
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  );
  return new Program(folder, 'haproxy', 'haproxy', ['-db', '-f', file]);
}

/** PgBouncer with transaction pooling, as docs/database.md has it, on the way to the primary. */
export async function startPgbouncer(
  folder: string,
  ports: Ports,
  user: { name: string; password: string },
): Promise<Program> {
  const users = join(folder, 'userlist.txt');
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(users, `"${user.name}" "${user.password}"\n`);
  await writeFile(
    file,
    `[databases]
goalpost = host=127.0.0.1 port=${ports.primary}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ports.pgbouncer}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 60
max_client_conn = 1000
server_connect_timeout = 2
server_login_retry = 1
ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout
`,
  );
  return new Program(folder, 'pgbouncer', 'pgbouncer', [file]);
}
