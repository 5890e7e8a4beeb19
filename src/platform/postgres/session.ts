import { TLSSocket } from 'node:tls';
import pg, { Client, type ClientConfig } from 'pg';
import { connectionOf } from '../settings/index.js';

declare module 'pg' {
  interface Client {
    /** The settings of the session, as the start-up message names them. The types of `pg` leave it out. */
    getStartupConf(): Record<string, string>;
  }
}

/** A database problem that the operator can solve. The message says how, and is shown without a stack. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/** What reads times takes UTC and ISO 8601 for granted. Statements have small results: Decisions: "Staying up". */
const settings = { TimeZone: 'UTC', DateStyle: 'ISO', jit: 'off', max_parallel_workers_per_gather: '0' };

/**
 * A connection with settings of ours, whatever server, database, role and URL prefer. The start-up message says so:
 * nothing has a higher rank. PgBouncer keeps the first two for each of its clients, and ignores the others if it is told
 * to.
 */
export class SessionClient extends Client {
  override getStartupConf(): Record<string, string> {
    return { ...super.getStartupConf(), ...settings };
  }
}

/** How often a server looks whether the client of a running statement is still there. */
const checkMilliseconds = 2_000;

/**
 * Whether a server can do so, in SQL: from PostgreSQL 14 on under Linux, from 15 on under macOS and BSD, not under Windows.
 * Others refuse the setting, even in the start-up message, which would end the connection.
 */
export const canNoticeIn = (version: string, number: string) =>
  `(${number} >= 140000 AND ${version} LIKE '%linux%' OR ${number} >= 150000 AND ${version} ~ 'darwin|bsd')`;

/** Of a program that is killed, the server would otherwise finish the statement, and hold its locks as long. */
export const noticeGoneClients = `SELECT set_config('client_connection_check_interval', '${checkMilliseconds}', false)
  WHERE ${canNoticeIn('version()', "current_setting('server_version_num')::int")}`;

/** Connects. If that fails, nothing of it remains. */
async function connected(config: ClientConfig): Promise<SessionClient> {
  const client = new SessionClient(config);
  client.on('error', () => {}); // a lost connection fails the running query
  try {
    await client.connect();
    await client.query(noticeGoneClients);
    return client;
  } catch (error) {
    // `end` would wait forever for a connection whose TLS the server refused.
    client.connection.stream.destroy();
    throw error;
  }
}

const connectMilliseconds = 10_000;

/**
 * Connects to the database, and closes the connections after the work. Throws a DatabaseError if it cannot, and if the
 * database refuses a statement: "Cannot migrate: …".
 */
export async function withClient<T>(
  url: string,
  purpose: string,
  work: (client: pg.Client, connect: () => Promise<pg.Client>) => Promise<T>,
): Promise<T> {
  const config = { connectionTimeoutMillis: connectMilliseconds, ...connectionOf(url) };
  const opened: pg.Client[] = [];
  const connect = async () => {
    const client = await connected(config).catch((error) => {
      const { host, port, user, database } = new Client(config);
      const where = `database "${database}" at ${host}:${port}${user ? ` as "${user}"` : ''}`;
      throw new DatabaseError(
        `Cannot connect to ${where}: ${reasonOf(error)}. Check DATABASE_URL; npx goalpost check says more.`,
        { cause: error },
      );
    });
    opened.push(client);
    return client;
  };
  try {
    const client = await connect();
    const { rows } = await client.query("SELECT current_setting('server_version_num')::int / 10000 AS major");
    if (rows[0].major < 14) throw new DatabaseError(`PostgreSQL 14 or newer is needed, this is ${rows[0].major}.`);
    return await work(client, connect);
  } catch (error) {
    throw error instanceof pg.DatabaseError
      ? new DatabaseError(`Cannot ${purpose}: ${error.message}`, { cause: error })
      : error;
  } finally {
    await Promise.all(opened.map((client) => client.end()));
  }
}

/** Opens a connection for the work, which may take that long. `limits` are those that the server keeps. */
export async function withTimedClient<T>(
  url: string,
  milliseconds: number,
  work: (client: SessionClient) => Promise<T>,
  limits: ClientConfig = {},
): Promise<T> {
  const timeouts = { ...limits, connectionTimeoutMillis: milliseconds, query_timeout: milliseconds };
  const client = await connected({ application_name: 'goalpost', ...timeouts, ...connectionOf(url) });
  try {
    return await work(client);
  } finally {
    void client.end().catch(() => {});
    client.connection.stream.destroy();
  }
}

/** Why a server did not do what it was asked. */
export function reasonOf(error: unknown): string {
  const { message, code = '' } = error as Error & { code?: string };
  // OpenSSL ends its own with a line feed.
  return (message || code).trim();
}

/** How the connection to a server is encrypted. A pooler is such a server, too. */
export interface Encryption {
  /** Version of TLS and cipher; undefined if it is not encrypted. */
  tls: string | undefined;
  /** Whether the certificate of the server was verified. */
  isVerified: boolean;
  /** A name, an address, or the folder of a local socket. */
  host: string;
  /** Whether PostgreSQL says that the connection it has is encrypted. With a pooler in between, that is another one. */
  isAtServer: boolean;
}

/** How a connection is encrypted, as the server says. */
export async function encryptionOf(client: SessionClient): Promise<Encryption> {
  const { rows } = await client.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  const { host, connection } = client;
  const { stream } = connection;
  const isTls = stream instanceof TLSSocket;
  return {
    tls: isTls ? `${stream.getProtocol()}, ${stream.getCipher().standardName}` : undefined,
    isVerified: isTls && stream.authorized,
    host,
    isAtServer: rows[0]?.ssl ?? false,
  };
}
