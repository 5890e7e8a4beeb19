import {
  type DatabaseTimeouts,
  type Encryption,
  encryptionOf,
  limitsOf,
  reasonOf,
  type SessionClient,
  withTimedClient,
} from '../postgres/index.js';
import { migrationsDirectory, pendingMigrations } from './migrations.js';

/** What the server of the database says of itself. */
export interface InspectedServer {
  /** Host and port. */
  address: string;
  url: string;
  version: string;
  role: 'primary' | 'standby' | 'read-only';
  encryption: Encryption;
  /** Most connections that this role may have to this database, and how many the server has now. */
  connections: { most: number; used: number };
}

interface UnreachableServer {
  address: string;
  /** Why it does not respond. */
  failure: string;
}

const facts = `
  SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS is_standby,
    current_setting('transaction_read_only')::boolean AS is_read_only,
    LEAST(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
      NULLIF(r.rolconnlimit, -1), NULLIF(d.datconnlimit, -1)) AS most,
    (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used
  FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`;

/** Asks the server that the URL names, on a connection like those of the gateway. */
export async function inspectServer(
  url: string,
  timeouts: DatabaseTimeouts,
): Promise<InspectedServer | UnreachableServer> {
  const address = new URL(url).host || 'the local socket';
  const readFacts = async (client: SessionClient): Promise<InspectedServer> => {
    const { rows } = await client.query(facts);
    const [{ version, is_standby: isStandby, is_read_only: isReadOnly, most, used }] = rows;
    const role = isStandby ? 'standby' : isReadOnly ? 'read-only' : 'primary';
    const encryption = await encryptionOf(client);
    return { address, url, version, role, encryption, connections: { most, used } };
  };
  try {
    return await withTimedClient(url, timeouts.connect, readFacts, limitsOf(timeouts));
  } catch (error) {
    return { address, failure: reasonOf(error) };
  }
}

/** The names of the migrations that a primary has not had yet. Throws a DatabaseError if they do not fit this version. */
export const pendingOn = ({ url }: InspectedServer) => pendingMigrations(url, migrationsDirectory);

/** Sorts a megabyte with little memory, for which a server needs space on its disk. Nothing is changed. */
const spill = 'SELECT count(*) FROM (SELECT FROM generate_series(1, 30000) g ORDER BY md5(g::text)) sorted';

/** Why a server cannot write to its disk; undefined if it can. */
export async function spaceRefusal({ url }: InspectedServer, milliseconds: number): Promise<string | undefined> {
  try {
    await withTimedClient(url, milliseconds, async (client) => {
      await client.query('SET work_mem = 64');
      await client.query(spill);
    });
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Why this role cannot write to a primary, to a table if it has one yet; undefined if it can. Nothing is changed. */
export async function writeRefusal(
  { url }: InspectedServer,
  { table }: { table: string | undefined },
  milliseconds: number,
): Promise<string | undefined> {
  try {
    return await withTimedClient(url, milliseconds, async (client) => {
      if (table !== undefined) {
        await client.query(`DELETE FROM ${table} WHERE false`);
        return undefined;
      }
      const { rows } = await client.query("SELECT has_schema_privilege(current_schema(), 'CREATE') AS allowed");
      return rows[0].allowed ? undefined : 'it may not create tables';
    });
  } catch (error) {
    return reasonOf(error);
  }
}
