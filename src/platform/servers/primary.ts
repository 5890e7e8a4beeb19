import type { Client, ClientBase } from 'pg';
import pg from 'pg';
import { reasonOf, SessionClient, withTimedClient } from './sessions.js';
import { DatabaseError } from './tls.js';

/** What a URL may ask of a server, as in libpq. Both mean the primary, which accepts writes. */
const primaryOnly = ['read-write', 'primary'];

interface Servers {
  /** One URL for each server, in the order in which they are tried. */
  urls: string[];
  /** Whether only a primary will do: there are several servers, or the URL says so. */
  needsPrimary: boolean;
}

/**
 * Reads `postgresql://user:password@one:5432,two:5432/database?target_session_attrs=read-write`, as libpq does. Returns
 * undefined if it cannot be read.
 */
export function readServerUrls(url: string): Servers | undefined {
  const [, start = '', hosts = '', rest = ''] = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s.exec(url) ?? [];
  if (start === '') return undefined;
  const names = hosts.split(',');
  if (names.length > 1 && names.some((name) => name === '' || name.startsWith(':'))) return undefined;
  const urls = names.map((name) => start + name + rest);
  if (!urls.every((each) => URL.canParse(each) && !hasRestOfPassword(new URL(each)))) return undefined;
  const wanted = new URL(urls[0] ?? '').searchParams.get('target_session_attrs');
  if (wanted === null) return { urls, needsPrimary: urls.length > 1 };
  return primaryOnly.includes(wanted) ? { urls: urls.map(withoutWish), needsPrimary: true } : undefined;
}

/** Whether a password with a `/` that is not escaped was read as the database, and what is before it as the server. */
const hasRestOfPassword = ({ pathname }: URL) => pathname.includes('@');

/** The URL without what `pg` does not know. */
function withoutWish(text: string): string {
  const url = new URL(text);
  url.searchParams.delete('target_session_attrs');
  return url.href;
}

/** No server accepts writes now. */
class NoPrimary extends DatabaseError {
  /** SQLSTATE cannot_connect_now. */
  readonly code = '57P03';
}

const isReadOnly = `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS is_read_only`;

/** Finds the server that accepts writes among those that a URL names, and remembers it. */
export class PrimaryLocator {
  readonly isSearched: boolean;
  readonly #urls: readonly string[];
  readonly #milliseconds: number;
  #found: Promise<string> | undefined;

  /** `milliseconds` is how long a server may take to respond. Throws a DatabaseError if the URL cannot be read. */
  constructor(url: string, milliseconds: number) {
    const servers = readServerUrls(url);
    if (!servers) throw new DatabaseError('The URL of the database cannot be read.');
    this.#urls = servers.urls;
    this.#milliseconds = milliseconds;
    this.isSearched = servers.needsPrimary;
  }

  /** The URL of the server that the URL names first. */
  get first(): string {
    return this.#urls[0] ?? '';
  }

  /** The URL of the primary. All servers are asked at once; the first in order that accepts writes counts. */
  async url(): Promise<string> {
    if (!this.isSearched) return this.first;
    this.#found ??= this.#search().catch((error) => {
      this.forget();
      throw error;
    });
    return this.#found;
  }

  /** Searches again when it is needed: the one that was found does not respond, or no longer accepts writes. */
  forget(): void {
    this.#found = undefined;
  }

  async #search(): Promise<string> {
    const asked = this.#urls.map((url) => ({ url, refusal: refusalOf(url, this.#milliseconds) }));
    const refusals: string[] = [];
    for (const { url, refusal } of asked) {
      const reason = await refusal;
      if (reason === undefined) return url;
      refusals.push(`${new URL(url).host} (${reason})`);
    }
    throw new NoPrimary(`No primary among ${refusals.join(', ')}`);
  }
}

/** Why a server is not the primary; undefined if it is. */
const refusalOf = (url: string, milliseconds: number): Promise<string | undefined> =>
  withTimedClient(url, milliseconds, refusalOn).catch(reasonOf);

/** Why the server of this connection is not the primary; undefined if it is. */
async function refusalOn(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ is_read_only: boolean }>(isReadOnly);
  return rows[0]?.is_read_only ? 'read-only' : undefined;
}

/** Says nothing against the server. */
const tooManyConnections = '53300';

/** A class of clients that connect to the primary, wherever that is when they connect. */
export const clientOf = (primary: PrimaryLocator) =>
  class PrimaryClient extends SessionClient {
    override connect(callback?: unknown): Promise<Client> {
      // From the start: the server may end a connection before the pool has handed it out, when nobody else listens.
      this.on('error', () => primary.forget());
      const connected = this.#aim()
        .then(() => super.connect())
        .catch((error) => {
          // One that was not even aimed has a socket that nobody else ends.
          this.connection.stream.destroy();
          if (error.code !== tooManyConnections) primary.forget();
          throw error;
        });
      if (typeof callback === 'function') {
        connected.then(
          (client) => callback(null, client),
          (error) => callback(error, this),
        );
      }
      return connected;
    }

    async #aim(): Promise<void> {
      if (!primary.isSearched) return;
      const { host, port } = new SessionClient({ connectionString: await primary.url() });
      this.host = host;
      this.port = port;
      if (this.connection.stream.destroyed) throw new Error('timeout expired');
    }
  };

/** Watches a new connection. Throws if its server turns out to be no primary. */
export async function watch(client: ClientBase, primary: PrimaryLocator, onStalePlan: () => void): Promise<void> {
  if (!(client instanceof SessionClient)) return;
  client.connection.on('errorMessage', ({ code, routine }: { code?: string; routine?: string }) => {
    if (routine === 'RevalidateCachedQuery') onStalePlan();
    if (code !== '25006') return;
    client.hasRefusedWrite = true;
    primary.forget();
  });
  if (!primary.isSearched) return;
  const refusal = await refusalOn(client);
  if (refusal === undefined) return;
  primary.forget();
  throw Object.assign(new Error(`${client.host} is ${refusal}`), { code: '25006' });
}

const connectMilliseconds = 10_000;

/**
 * Connects to the primary, and closes the connections after the work. Throws a DatabaseError if it cannot, and if the
 * database refuses a statement: "Cannot migrate: …".
 */
export async function withClient<T>(
  url: string,
  purpose: string,
  work: (client: pg.Client, connect: () => Promise<pg.Client>) => Promise<T>,
): Promise<T> {
  const connectionString = await new PrimaryLocator(url, connectMilliseconds).url();
  const opened: pg.Client[] = [];
  const connect = async () => {
    const client = new SessionClient({ connectionString, connectionTimeoutMillis: connectMilliseconds });
    client.on('error', () => {}); // a lost connection fails the running query
    await client.connect().catch((error) => {
      // `end` would wait forever for a connection whose TLS the server refused.
      client.connection.stream.destroy();
      const { host, port, user, database } = client;
      const where = `database "${database}" at ${host}:${port}${user ? ` as "${user}"` : ''}`;
      throw new DatabaseError(
        `Cannot connect to ${where}: ${reasonOf(error)}. Check DATABASE_URL; npx goalpost check says more.`,
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
    throw error instanceof pg.DatabaseError ? new DatabaseError(`Cannot ${purpose}: ${error.message}`) : error;
  } finally {
    await Promise.all(opened.map((client) => client.end()));
  }
}
