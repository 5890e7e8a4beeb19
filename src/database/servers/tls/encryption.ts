import type { SessionClient } from '../sessionClient.js';
import type { Verified } from './parameters.js';

/** How the connection to a server is encrypted. A pooler is such a server, too. */
export interface Encryption {
  /** Version of TLS and cipher; undefined if it is not encrypted. */
  tls: string | undefined;
  verified: Verified;
  /** A name, an address, or the folder of a local socket. */
  host: string;
  /** Whether PostgreSQL says that the connection it has is encrypted. With a pooler in between, that is another one. */
  isAtServer: boolean;
}

export async function encryptionOf(client: SessionClient): Promise<Encryption> {
  const { rows } = await client.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  const { tls, verified, host } = client;
  return { tls, verified, host, isAtServer: rows[0]?.ssl ?? false };
}
