import type { Client } from 'pg';
import { reasonOf, sessionSettings, withTimedClient } from '../postgres/index.js';

/** What a server says of itself. */
export interface Facts {
  version: string;
  major: number;
  role: 'primary' | 'standby' | 'read-only';
  encoding: string;
  /** The schema in which tables are made and found; null if there is none. */
  schema: string | null;
  user: string;
  /** Its name, quoted. */
  database: string;
  /** Whether something answers for the server that hands its connections to others. */
  isPooled: boolean;
  /** Settings that are not as they are meant. */
  settings: { name: keyof typeof sessionSettings; value: string; meant: string }[];
  /** Whether a commit waits until it is on the disk. */
  isDurable: boolean;
  /** Collations of indexes whose version is no longer the one with which the indexes were made, each with what renews it. */
  collations: { name: string; version: string; now: string; renewal: string }[];
  /** Most connections that this role may have to this database, and how many the server has now. */
  most: number;
  used: number;
}

const facts = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int / 10000 AS major,
    CASE WHEN pg_is_in_recovery() THEN 'standby' WHEN current_setting('transaction_read_only')::boolean THEN 'read-only' ELSE 'primary' END AS role,
    current_setting('server_encoding') AS encoding, (current_schemas(false))[1] AS schema, current_user::text AS "user",
    quote_ident(current_database()) AS database,
    pg_backend_pid() <> $1 AS "isPooled",
    coalesce((SELECT json_agg(json_build_object('name', key, 'value', current_setting(key), 'meant', value))
      FROM json_each_text($2) WHERE key <> 'client_connection_check_interval' AND current_setting(key) <> value), '[]') AS settings,
    current_setting('synchronous_commit') <> 'off' AS "isDurable",
    coalesce((SELECT json_agg(c) FROM (
      SELECT collname AS name, collversion AS version, pg_collation_actual_version(oid) AS now,
        format('ALTER COLLATION %I REFRESH VERSION', collname) AS renewal
      FROM pg_collation WHERE oid IN (SELECT unnest(indcollation) FROM pg_index)
      -- Before PostgreSQL 15 a database has no version.
      UNION ALL SELECT 'of the database', to_jsonb(d) ->> 'datcollversion', pg_collation_actual_version('"default"'::regcollation),
        format('ALTER DATABASE %I REFRESH COLLATION VERSION', d.datname)) c WHERE version <> now), '[]') AS collations,
    LEAST(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
      NULLIF(r.rolconnlimit, -1), NULLIF(d.datconnlimit, -1)) AS most,
    (SELECT sum(numbackends)::int FROM pg_stat_database) AS used
  FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`;

/** Asks a server, on a connection like those of the gateway. */
export const factsOf = async (client: Client): Promise<Facts> =>
  (await client.query(facts, [client.processID, JSON.stringify(sessionSettings)])).rows[0];

const tries = {
  create:
    "DO $$ BEGIN IF NOT has_schema_privilege('public', 'CREATE') THEN RAISE 'it may not create tables'; END IF; END $$",
  /** Sorts a megabyte with little memory, for which a server needs space on its disk. */
  spill: `SET LOCAL work_mem = 64;
    SELECT count(*) FROM (SELECT FROM generate_series(1, 30000) g ORDER BY md5(g::text)) sorted`,
};

/** Why a server does not do that; undefined if it does. Nothing is changed. */
export async function refusalOf(client: Client, what: keyof typeof tries): Promise<string | undefined> {
  try {
    await client.query(`BEGIN; ${tries[what]}`);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Whether a pooler gives a transaction another connection than the one that prepared its statement. */
export const losesNames = (url: string, milliseconds: number): Promise<boolean> =>
  withTimedClient(url, milliseconds, (one) =>
    withTimedClient(url, milliseconds, async (other) => {
      const statement = { name: 'gp_check', text: 'SELECT 1' };
      try {
        await one.query(statement);
        await other.query('BEGIN');
        await other.query(statement);
        await one.query(statement);
        return false;
      } catch (error) {
        if (/^(26000|42P05)$/.test((error as { code?: string }).code ?? '')) return true;
        throw error;
      }
    }),
  );
