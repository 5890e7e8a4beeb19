export {
  /** A class of clients that connect to the primary, wherever that is when they connect. */
  clientOf,
  /** Finds the server that accepts writes among those that a URL names, and remembers it. */
  PrimaryLocator,
  /** Reads `postgresql://user:password@one:5432,two:5432/database?target_session_attrs=read-write`, as libpq does. */
  readServerUrls,
  /** Watches a new connection. */
  watch,
  /** Connects to the primary, and closes the connections after the work. */
  withClient,
} from './primary.js';
export {
  /** Why a server did not do what it was asked. */
  reasonOf,
  /** A connection with settings of ours, whatever server, database, role and URL prefer. */
  SessionClient,
  /** Opens a connection for the work, which may take that long. */
  withTimedClient,
} from './sessions.js';
export type { Encryption } from './tls.js';
export {
  /** A database problem that the operator can solve. */
  DatabaseError,
  /** How a connection is encrypted, as the server says. */
  encryptionOf,
  /** Why no connection can be encrypted as the URL says: "has sslmode=yes, which …"; undefined if one can. */
  tlsProblem,
} from './tls.js';
