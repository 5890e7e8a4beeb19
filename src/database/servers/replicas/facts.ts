import type { ClientBase } from 'pg';
import { DatabaseError } from '../../error.js';
import { type LogPosition, readLsn } from './logPosition.js';

/** The server is a primary, or was promoted. */
export class NoStandby extends DatabaseError {}

/** The cluster and the database in it, which all of its servers have in common. */
export const identity = `SELECT c.system_identifier || ' ' || d.oid AS identity
  FROM pg_control_system() c, pg_database d WHERE d.datname = current_database()`;

/** Since when the server runs. After a crash, a standby may show an earlier state than before. */
const instance = 'SELECT pg_postmaster_start_time()::text AS instance';

const state = `SELECT pg_is_in_recovery() AS "isStandby", pg_last_wal_replay_lsn()::text AS lsn,
  EXISTS (SELECT FROM pg_stat_wal_receiver) AS receives,
  (SELECT received_tli FROM pg_stat_wal_receiver) AS timeline`;

export async function identityOf(client: ClientBase): Promise<string> {
  return (await client.query(identity)).rows[0]?.identity;
}

export async function instanceOf(client: ClientBase): Promise<string> {
  return (await client.query(instance)).rows[0]?.instance;
}

/** What a standby has replayed; undefined while it receives nothing. Throws if it is none, or hides its timeline. */
export async function replayedBy(client: ClientBase): Promise<LogPosition | undefined> {
  const [{ isStandby, lsn, receives, timeline }] = (await client.query(state)).rows;
  if (!isStandby) throw new NoStandby('it is not a standby');
  if (!receives || lsn === null) return undefined;
  // Without its timeline, the position of a standby cannot be compared with that of the primary.
  if (timeline === null)
    throw new DatabaseError('the role may not see its timeline. GRANT pg_read_all_stats to the role');
  return { timeline, lsn: readLsn(lsn) };
}
