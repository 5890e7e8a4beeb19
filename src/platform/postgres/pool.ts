import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type ClientBase, Pool } from 'pg';
import { Cache, lazy } from '../caching/index.js';
import { connectionOf } from '../settings/index.js';
import { DatabaseError } from './databaseError.js';
import { stalePlan } from './errors.js';
import { prepareSession, SessionClient } from './session.js';

/** How long the gateway waits for the database, in milliseconds; 0 waits without end. */
export interface DatabaseTimeouts {
  /** For a connection, whether a new one or a free one of the pool. */
  connect: number;
  /** For any response of the server while a connection is in use; a connection without one is closed. */
  response: number;
  /** Limits that the server keeps on each connection. 0 leaves the server's own. */
  statement: number;
  lock: number;
  idleTransaction: number;
}

export interface PoolOptions {
  url: string;
  poolSize: number;
  /** By which the server knows whose connections these are. */
  name?: string;
  /** If omitted, only connecting has a limit: commands may take their time. */
  timeouts?: DatabaseTimeouts | undefined;
  /** Called when an idle connection breaks, which the pool replaces; and once with a DatabaseError if names are of no use. */
  onError?: ((error: Error) => void) | undefined;
}

export interface OpenPool {
  pool: Pool;
  /** Whether each connection has the prepared statements that were sent on it. */
  readonly keepsNames: boolean;
  /** Replaces each connection as soon as it is free. */
  renew(): void;
  /** Ends the pool within two seconds, even if the server does not respond. It may be called again. */
  close(): Promise<void>;
}

const closeMilliseconds = 2_000;
const patient: DatabaseTimeouts = { connect: 10_000, response: 0, statement: 0, lock: 0, idleTransaction: 0 };

/** The limits that the server enforces on a connection. */
export const limitsOf = ({ statement, lock, idleTransaction }: DatabaseTimeouts): Record<string, number> => ({
  ...(statement > 0 && { statement_timeout: statement }),
  ...(lock > 0 && { lock_timeout: lock }),
  ...(idleTransaction > 0 && { idle_in_transaction_session_timeout: idleTransaction }),
});

/** Opens a pool of connections. It connects when it is used. */
export function openPool({ url, poolSize, name = 'goalpost', timeouts = patient, onError }: PoolOptions): OpenPool {
  const sockets = new Set<Socket>();
  let current = new WeakSet<object>();
  let keepsNames = true;
  const renew = () => {
    current = new WeakSet();
  };
  const prepare = async (client: ClientBase) => {
    // The server may end a connection that the pool has just handed out, when nobody else listens.
    client.on('error', () => {});
    current.add(client);
    const socket = socketOf(client);
    socket.once('timeout', () => socket.destroy(noResponse()));
    socket.setTimeout(timeouts.response);
    (client as Client).connection.on('errorMessage', ({ code, routine }: { code?: string; routine?: string }) => {
      if (lostNames.includes(code ?? '') && keepsNames) {
        keepsNames = false;
        onError?.(new DatabaseError(namesAreLost));
      }
      // The other connections have the same statements.
      if (routine === stalePlan && current.has(client)) renew();
    });
    await prepareSession(client as Client, limitsOf(timeouts));
  };
  const pool = new Pool({
    Client: SessionClient,
    onConnect: prepare,
    max: poolSize,
    // What is sent at once to one connection does not wait for the answers to what is before it.
    pipeline: true,
    // A connection that was closed would take its prepared statements with it.
    idleTimeoutMillis: 0,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: timeouts.connect,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
    ...connectionOf(url),
  });
  // Without a listener, the process would end.
  pool.on('error', ({ message }) => onError?.(new Error(`a database connection broke: ${message}`)));
  // Only what is in use is given up. With the driver's own `query_timeout`, each result would stay in memory until the
  // next full collection of garbage.
  pool.on('acquire', (client) => socketOf(client).setTimeout(timeouts.response));
  // Prisma hands a connection back as free even if its transaction could not be ended,
  // or its prepared statements are useless or too many. The pool drops one that is ending.
  pool.on('release', (_error, client) => {
    socketOf(client).setTimeout(0);
    if (client.getTransactionStatus() !== 'I' || !current.has(client)) void client.end();
  });
  const close = lazy(async () => {
    await Promise.race([pool.end(), sleep(closeMilliseconds, undefined, { ref: false })]);
    for (const socket of sockets) socket.destroy();
  });
  return {
    ...{ pool, renew, close },
    get keepsNames() {
      return keepsNames;
    },
  };
}

const socketOf = (client: ClientBase) => (client as Client).connection.stream as Socket;

const noResponse = () => Object.assign(new Error('the database did not respond in time'), { code: 'ETIMEDOUT' });

/** What PostgreSQL says of a name that this connection does not have, or has already: a pooler has exchanged it for another. */
const lostNames = ['26000', '42P05'];
const namesAreLost =
  'a pooler hands out connections without their prepared statements: goes on without them; set PREPARED_STATEMENTS=off';

/**
 * For one connection. PostgreSQL needs up to 400 bytes of memory for each character, so at most about 120 MB for all. REST
 * and a query for everything of a goal and its parents take a fifth of the characters.
 */
const mostStatements = 300;
const mostCharacters = 300_000;
/** How many texts are remembered, by their hashes, to know those that are used again. */
const mostSeen = 10_000;
const renewalMilliseconds = 3_600_000;

const hashOf = (sql: string) => createHash('sha256').update(sql).digest('base64url');

/**
 * Names each SQL text from its second use on, so that a connection prepares it only once. Callers choose what is selected:
 * beyond the limit in number or in characters, new texts stay unnamed. When the limit is reached and the names are an hour
 * old, they start anew with the texts in use; `onRenewed` then has to replace the connections, which keep what they have
 * prepared. A name is a digest of its text: behind a pooler, a connection may have been prepared by another gateway.
 */
export function statementNames(
  onRenewed: () => void,
  most = mostStatements,
  characters = mostCharacters,
): (sql: string) => string {
  const names = new Map<string, string>();
  const seen = new Cache<string, true>(mostSeen);
  let room = characters;
  let renewedAt = performance.now();
  const wasSeen = (sql: string) => {
    const hash = hashOf(sql);
    const isKnown = seen.has(hash);
    seen.set(hash, true);
    return isKnown;
  };
  return (sql) => {
    const existing = names.get(sql);
    if (existing) return existing;
    const isFull = names.size >= most || sql.length > room;
    if ((isFull && performance.now() - renewedAt < renewalMilliseconds) || sql.length > characters) return '';
    if (!wasSeen(sql)) return '';
    if (isFull) {
      names.clear();
      room = characters;
      renewedAt = performance.now();
      onRenewed();
    }
    room -= sql.length;
    const name = `gp_${hashOf(sql)}`;
    names.set(sql, name);
    return name;
  };
}
