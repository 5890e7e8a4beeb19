import {
  type DatabaseTimeouts,
  flushedPosition,
  identityOf,
  limitsOf,
  NoStandby,
  readPosition,
  replayedBy,
} from '../postgres/index.js';
import {
  type Encryption,
  encryptionOf,
  readServerUrls,
  reasonOf,
  type SessionClient,
  withTimedClient,
} from '../servers/index.js';
import { migrationsDirectory, pendingMigrations } from './migrations.js';

/** What a server of the database says of itself. */
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

/** Asks every server that the URL names, at once, on a connection like those of the gateway. */
export function inspectServers(
  url: string,
  timeouts: DatabaseTimeouts,
): Promise<(InspectedServer | UnreachableServer)[]> {
  const { urls = [] } = readServerUrls(url) ?? {};
  return Promise.all(urls.map((each) => inspectServer(each, timeouts)));
}

async function inspectServer(url: string, timeouts: DatabaseTimeouts): Promise<InspectedServer | UnreachableServer> {
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

/** Why this role cannot write to a primary; undefined if it can. Nothing is changed. */
export async function writeRefusal(
  { url }: InspectedServer,
  { isMigrated }: { isMigrated: boolean },
  milliseconds: number,
): Promise<string | undefined> {
  try {
    return await withTimedClient(url, milliseconds, async (client) => {
      if (isMigrated) {
        await client.query('UPDATE companies SET name = name WHERE false');
        return undefined;
      }
      const { rows } = await client.query("SELECT has_schema_privilege(current_schema(), 'CREATE') AS allowed");
      return rows[0].allowed ? undefined : 'this role may not create tables';
    });
  } catch (error) {
    return reasonOf(error);
  }
}

/** How far a replica is behind, that it is the primary now, or why the gateway would not use it. */
export type InspectedReplica = { address: string } & (
  | { failure: string }
  | { isPrimary: true }
  | { bytesBehind: number; encryption: Encryption }
);

/** Asks every replica whether it follows the primary, at once. `milliseconds` is how long one may take to respond. */
export async function inspectReplicas(
  urls: readonly string[],
  primaryUrl: string,
  milliseconds: number,
): Promise<InspectedReplica[]> {
  const primary = await withTimedClient(primaryUrl, milliseconds, async (client) => ({
    identity: await identityOf(client),
    position: readPosition((await client.query(`SELECT ${flushedPosition} AS position`)).rows[0]?.position),
  }));
  return Promise.all(urls.map((url) => inspectReplica(url, primary, milliseconds)));
}

async function inspectReplica(
  url: string,
  { identity, position }: { identity: string; position: ReturnType<typeof readPosition> },
  milliseconds: number,
): Promise<InspectedReplica> {
  const address = new URL(url).host;
  try {
    return await withTimedClient(url, milliseconds, async (client) => {
      if ((await identityOf(client)) !== identity) return { address, failure: 'it is of another cluster or database' };
      const replayed = await replayedBy(client);
      if (!replayed) return { address, failure: 'it receives nothing from the primary' };
      if (replayed.timeline !== position?.timeline) return { address, failure: 'it is on another timeline' };
      const bytesBehind = Math.max(0, Number(position.lsn - replayed.lsn));
      return { address, bytesBehind, encryption: await encryptionOf(client) };
    });
  } catch (error) {
    if (error instanceof NoStandby) return { address, isPrimary: true };
    return { address, failure: reasonOf(error) };
  }
}
