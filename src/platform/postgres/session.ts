import { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import pg, { Client, type ClientConfig } from 'pg';
import { connectionOf } from '../settings/index.js';
import { DatabaseError } from './databaseError.js';
import { tlsCodes } from './errors.js';

declare module 'pg' {
  interface Client {
    /** The settings of the session, as the start-up message names them. The types of `pg` leave it out. */
    getStartupConf(): Record<string, string>;
    /** By which the other end cancels: of PostgreSQL the process, of a pooler a number of its own. */
    readonly processID: number | null;
  }
}

/**
 * What reads times takes UTC and ISO 8601 for granted, and migrations quote as the standard does. PgBouncer keeps these for
 * each of its clients; it refuses others, or drops them.
 */
const startup = { TimeZone: 'UTC', DateStyle: 'ISO', standard_conforming_strings: 'on' };

/** A connection with settings of ours, whatever server, database, role, URL and `PGOPTIONS` prefer. */
export class SessionClient extends Client {
  readonly #options: string | undefined;

  constructor(config: ClientConfig = {}) {
    super(config);
    this.#options = config.options;
  }

  override getStartupConf(): Record<string, string> {
    const { options: _ofShell, ...others } = super.getStartupConf();
    return { ...others, ...startup, ...(this.#options && { options: this.#options }) };
  }
}

/**
 * Whether a server notices that the client of a running statement is gone, in SQL: from PostgreSQL 14 on under Linux, from
 * 15 on under macOS and BSD, not under Windows. Others refuse the setting.
 */
export const canNoticeGoneClients = `(current_setting('server_version_num')::int >=
  CASE WHEN version() LIKE '%linux%' THEN 140000 WHEN version() ~ 'darwin|bsd' THEN 150000 END) IS TRUE`;

/**
 * What a connection is meant to have besides. Planners expect the worst of lists that stop early: with JIT a page of hubs took
 * 70 ms longer, with parallel workers a page of a large company 6 to 13 ms instead of 2. Of a program that is killed, the
 * server would otherwise finish the statement, and hold its locks as long.
 */
export const sessionSettings = {
  // PostgreSQL refuses a statement from which a policy would hide rows.
  row_security: 'off',
  extra_float_digits: '1',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  client_connection_check_interval: '2s',
};

/**
 * The first statement of a connection sets what the start-up message cannot say. Behind a pooler it does nothing: what it
 * sets there would stay for others. There the role has these settings, by `roles.sql`.
 */
export async function prepareSession(client: Client, limits: Record<string, number> = {}): Promise<void> {
  const settings = Object.entries({ ...sessionSettings, ...limits }).map(([name, value]) => `('${name}', '${value}')`);
  await client.query(`SELECT set_config(name, value, false) FROM (VALUES ${settings.join()}) s (name, value)
    WHERE pg_backend_pid() = ${client.processID} AND (name <> 'client_connection_check_interval' OR ${canNoticeGoneClients})`);
}

/** Connects. If that fails, nothing of it remains. */
async function connected(url: string, others: ClientConfig, limits?: Record<string, number>): Promise<SessionClient> {
  const config = { ...others, ...connectionOf(url) };
  const client = new SessionClient(config);
  client.on('error', () => {}); // a lost connection fails the running query
  try {
    await client.connect();
    await prepareSession(client, limits);
    return client;
  } catch (error) {
    // `end` would wait forever for a connection whose TLS the server refused.
    client.connection.stream.destroy();
    if (tlsCodes.test((error as NodeJS.ErrnoException).code ?? ''))
      (error as Error).message = `${reasonOf(error)}. ${await certificatesOf(url, config)}`;
    throw error;
  }
}

/** A connection that does not say who connects. */
class AnonymousClient extends Client {
  override getStartupConf = () => ({});
}

/** Which certificate the server shows, and which authorities it is compared with. */
async function certificatesOf(url: string, config: ClientConfig): Promise<string> {
  const { ca, ...ssl } = Object(config.ssl);
  // The connection that failed has forgotten what it was shown.
  const client = new AnonymousClient({ ...config, ssl: { ...ssl, rejectUnauthorized: false } });
  let shown: X509Certificate | undefined;
  client.connection.once('sslconnect', () => {
    const socket = client.connection.stream as TLSSocket;
    socket.once('secureConnect', () => {
      shown = socket.getPeerX509Certificate();
      socket.destroy();
    });
  });
  await client.connect().catch(() => {});
  const file = new URL(url).searchParams.get('sslrootcert');
  const authorities = String(ca).match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? [];
  return [
    ...(shown ? [`The server shows ${described(shown)}`] : []),
    file === null
      ? 'without sslrootcert, the authorities are those of Node.js'
      : `sslrootcert=${file} has ${authorities.map((text) => described(new X509Certificate(text))).join(' and ')}`,
  ].join('; ');
}

const described = ({ subject, subjectAltName, issuer, validFrom, validTo }: X509Certificate) =>
  `${onOneLine(subject)}${subjectAltName ? ` (${subjectAltName})` : ''} of ${onOneLine(issuer)}, valid from ${validFrom} to ${validTo}`;

const onOneLine = (name: string) => name.replaceAll('\n', ' ');

const connectMilliseconds = 10_000;
export const remedyOfEncoding = "Make another: CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'";

/** Connects, works, and closes. Throws a DatabaseError if it cannot, or the database refuses: "Cannot migrate: …". */
export async function withClient<T>(
  url: string,
  purpose: string,
  work: (client: pg.Client, connect: () => Promise<pg.Client>) => Promise<T>,
): Promise<T> {
  const opened: pg.Client[] = [];
  const connect = async () => {
    const client = await connected(url, { connectionTimeoutMillis: connectMilliseconds }).catch((error) => {
      const { host, port, user, database } = new Client(connectionOf(url));
      const where = `database "${database}" at ${host}:${port}${user ? ` as "${user}"` : ''}`;
      throw new DatabaseError(`Cannot connect to ${where}: ${reasonOf(error)}. Check DATABASE_URL.`, { cause: error });
    });
    opened.push(client);
    return client;
  };
  try {
    const client = await connect();
    const { rows } = await client.query(
      "SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_encoding') AS encoding",
    );
    const [{ major, encoding }] = rows;
    if (major < 14) throw new DatabaseError(`PostgreSQL 14 or newer is needed, this is ${major}.`);
    if (encoding !== 'UTF8')
      throw new DatabaseError(`The database must have the encoding UTF8, not ${encoding}. ${remedyOfEncoding}`);
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
  limits?: Record<string, number>,
): Promise<T> {
  const timeouts = { connectionTimeoutMillis: milliseconds, query_timeout: milliseconds };
  const client = await connected(url, { application_name: 'goalpost', ...timeouts }, limits);
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
interface Encryption {
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
