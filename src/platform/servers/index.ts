/** Finds the server that accepts writes among those that a URL names, and remembers it. */
/** A class of clients that connect to the primary, wherever that is when they connect. */
/**
 * Reads `postgresql://user:password@one:5432,two:5432/database?target_session_attrs=read-write`, as libpq does. Returns
 * undefined if it cannot be read.
 */
/** Watches a new connection. Throws if its server turns out to be no primary. */
/**
 * Connects to the primary, and closes the connections after the work. Throws a DatabaseError if it cannot, and if the
 * database refuses a statement: "Cannot migrate: …".
 */
export { clientOf, PrimaryLocator, readServerUrls, watch, withClient } from './primary.js';
export type { LogPosition, ReplicaState } from './replicas.js';
/** The server is a primary, or was promoted. */
/** Standbys that answer queries in the primary's place. None of them is ever needed. */
/**
 * SQL for the position of the primary before which everything lies that is acknowledged; null on a standby. With
 * `synchronous_commit=off`, changes are acknowledged before that.
 */
/** Reads what {@link flushedPosition} returns: the name of a log file, which starts with the timeline, and an LSN. */
/** What a standby has replayed; undefined while it receives nothing. Throws if it is none, or hides its timeline. */
export { flushedPosition, identityOf, NoStandby, Replicas, readPosition, replayedBy } from './replicas.js';
/**
 * A connection with settings of ours, whatever server, database, role and URL prefer. The start-up message says so:
 * nothing has a higher rank. PgBouncer keeps the first two for each of its clients, and ignores the others if it is told
 * to.
 *
 * It is encrypted as the URL says. Each connection reads the files of certificates again, so they may be renewed.
 */
/** Why a server did not do what it was asked. */
/** Opens a connection for the work, which may take that long. `limits` are those that the server keeps. */
export { reasonOf, SessionClient, withTimedClient } from './sessions.js';
export type { Encryption } from './tls.js';
/** Why no connection can be encrypted as the URL says: "has sslmode=yes, which …"; undefined if one can. */
export { encryptionOf, tlsProblem } from './tls.js';
