import { readdirSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, serverAccount } from '../../src/platform/embedded/server.js';
import { Program } from './program.js';

/** The newest PostgreSQL that Debian's packages have installed. */
const newest = () => readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))[0];

interface Passwords {
  superuser: string;
  replication: string;
}

/** What Patroni says of a PostgreSQL. */
export interface PatroniState {
  state: string;
  role: 'primary' | 'master' | 'replica' | 'standby_leader';
  timeline?: number;
  replication_state?: string;
}

/** What stands for one machine: a Patroni and the PostgreSQL that it runs. */
export class DatabaseMachine {
  readonly name: string;
  readonly port: number;
  readonly apiPort: number;
  readonly #folder: string;
  #patroni: Program | undefined;

  private constructor(folder: string, { name, port, apiPort }: { name: string; port: number; apiPort: number }) {
    this.#folder = folder;
    this.name = name;
    this.port = port;
    this.apiPort = apiPort;
  }

  /** Writes its configuration. */
  static async prepare(parent: string, name: string, etcdPort: number, passwords: Passwords): Promise<DatabaseMachine> {
    const folder = join(parent, name);
    await mkdir(folder);
    const { uid, gid } = serverAccount();
    if (uid && gid) await chown(folder, uid, gid);
    const machine = new DatabaseMachine(folder, { name, port: await freePort(), apiPort: await freePort() });
    await writeFile(join(folder, 'patroni.yml'), machine.#settings(etcdPort, passwords));
    return machine;
  }

  start(): void {
    const [settings, pidFile] = ['patroni.yml', 'data/postmaster.pid'].map((name) => join(this.#folder, name));
    this.#patroni = new Program(this.#folder, 'patroni', 'patroni', [settings ?? ''], pidFile);
  }

  /** Ends Patroni and PostgreSQL by SIGKILL, as a power cut would. */
  kill(): void {
    this.#patroni?.killAll();
  }

  async stop(): Promise<void> {
    await this.#patroni?.stop();
  }

  /** Undefined while Patroni does not answer. */
  async state(): Promise<PatroniState | undefined> {
    return fetch(`http://127.0.0.1:${this.apiPort}/patroni`).then(
      (response) => response.json() as Promise<PatroniState>,
      () => undefined,
    );
  }

  /** JSON, which is YAML too. Without fsync a power cut would lose data, but no kill does. */
  #settings(etcdPort: number, { superuser, replication }: Passwords): string {
    const at = (port: number) => ({ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}` });
    const parameters = {
      max_connections: 100,
      synchronous_commit: 'on',
      wal_log_hints: 'on',
      hot_standby_feedback: 'on',
      fsync: 'off',
      unix_socket_directories: this.#folder,
    };
    return JSON.stringify(
      {
        scope: 'goalpost',
        name: this.name,
        restapi: at(this.apiPort),
        etcd3: { host: `127.0.0.1:${etcdPort}` },
        bootstrap: {
          dcs: {
            ttl: 20,
            loop_wait: 2,
            retry_timeout: 5,
            synchronous_mode: true,
            postgresql: { use_pg_rewind: true, parameters },
          },
          initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
        },
        postgresql: {
          ...at(this.port),
          data_dir: join(this.#folder, 'data'),
          bin_dir: `/usr/lib/postgresql/${newest()}/bin`,
          pgpass: join(this.#folder, 'pgpass'),
          authentication: {
            superuser: { username: 'postgres', password: superuser },
            replication: { username: 'replicator', password: replication },
          },
          pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication replicator 127.0.0.1/32 scram-sha-256'],
          basebackup: { checkpoint: 'fast' },
          parameters: { unix_socket_directories: this.#folder },
        },
      },
      null,
      2,
    );
  }
}
