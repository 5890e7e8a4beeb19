import type { ClientBase } from 'pg';
import { DatabaseError } from '../error.js';
import { readServerUrls } from './serverUrls.js';
import { reasonOf, withTimedClient } from './withTimedClient.js';

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
export async function refusalOn(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ is_read_only: boolean }>(isReadOnly);
  return rows[0]?.is_read_only ? 'read-only' : undefined;
}
