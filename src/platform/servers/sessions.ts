import { TLSSocket } from 'node:tls';
import { Client, type ClientConfig } from 'pg';
import { explained, TlsError, tlsProblem, urlForDriver, type Verified, verifiedBy } from './tls.js';

declare module 'pg' {
  interface Client {
    /** The settings of the session, as the start-up message names them. The types of `pg` leave it out. */
    getStartupConf(): Record<string, string>;
  }
}

/** What reads times takes UTC and ISO 8601 for granted. Statements have small results: Decisions: "Staying up". */
const settings = { TimeZone: 'UTC', DateStyle: 'ISO', jit: 'off', max_parallel_workers_per_gather: '0' };

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

/**
 * A connection with settings of ours, whatever server, database, role and URL prefer. The start-up message says so:
 * nothing has a higher rank. PgBouncer keeps the first two for each of its clients, and ignores the others if it is told
 * to.
 *
 * It is encrypted as the URL says. Each connection reads the files of certificates again, so they may be renewed.
 */
export class SessionClient extends Client {
  /** Whether the server has refused a write, as one does that is no primary any more. */
  hasRefusedWrite = false;
  readonly #url: string;
  readonly #problem: string | undefined;

  constructor({ connectionString: url = 'postgresql://', ...options }: ClientConfig = {}) {
    // The pool could not bear a constructor that throws: the connection fails.
    const problem = tlsProblem(url);
    super({ ...options, connectionString: problem ? withoutParameters(url) : urlForDriver(url) });
    this.#url = url;
    this.#problem = problem;
  }

  override getStartupConf(): Record<string, string> {
    return { ...super.getStartupConf(), ...settings };
  }

  override async connect(_callback?: unknown): Promise<Client> {
    if (this.#problem) throw new TlsError(`its URL ${this.#problem}`);
    try {
      await super.connect();
      await this.query(noticeGoneClients);
      return this;
    } catch (error) {
      throw explained(error as Error, this.#url);
    }
  }

  /** Of this connection, up to whoever accepted it: version of TLS and cipher; undefined if it is not encrypted. */
  get tls(): string | undefined {
    const { stream } = this.connection;
    return stream instanceof TLSSocket ? `${stream.getProtocol()}, ${stream.getCipher().standardName}` : undefined;
  }

  /** What of the certificate of the server was verified. NODE_TLS_REJECT_UNAUTHORIZED=0 lets any pass. */
  get verified(): Verified {
    const { stream } = this.connection;
    return stream instanceof TLSSocket && stream.authorized ? verifiedBy(this.#url) : 'nothing';
  }
}

const withoutParameters = (url: string) => Object.assign(new URL(url), { search: '' }).href;

/** Opens a connection for the work, which may take that long. `limits` are those that the server keeps. */
export async function withTimedClient<T>(
  url: string,
  milliseconds: number,
  work: (client: SessionClient) => Promise<T>,
  limits: ClientConfig = {},
): Promise<T> {
  const timeouts = { ...limits, connectionTimeoutMillis: milliseconds, query_timeout: milliseconds };
  const client = new SessionClient({ connectionString: url, application_name: 'goalpost', ...timeouts });
  client.on('error', () => {}); // a lost connection fails the running query
  try {
    await client.connect();
    return await work(client);
  } finally {
    void client.end().catch(() => {});
    client.connection.stream.destroy();
  }
}

/** Why a server did not do what it was asked. */
export function reasonOf(error: unknown): string {
  const { message, code = '' } = error as Error & { code?: string };
  return message || code;
}
