import { SessionClient } from '../servers/sessionClient.js';

const sharedLock = 72707371;
const connecting = { connectionTimeoutMillis: 2_000 };

/**
 * Keeps the server of another process from stopping until `leave()`, or until this process ends. Returns undefined if
 * the server does not respond or is about to stop.
 */
export async function join(url: string): Promise<{ leave(): Promise<void> } | undefined> {
  const client = connection(url);
  try {
    await client.connect();
    const { rows } = await client.query('SELECT pg_try_advisory_lock_shared($1) AS joined', [sharedLock]);
    if (rows[0].joined) return { leave: () => client.end() };
  } catch {
    // It stops or starts just now.
  }
  await client.end().catch(() => {});
  return undefined;
}

/** Waits until all who joined the server have left. From then on nobody can join. */
export async function untilAlone(url: string, milliseconds: number): Promise<void> {
  const client = connection(url, milliseconds);
  try {
    await client.connect();
    // Ends with the server: until then the lock, or the wait for it, keeps others from joining.
    await client.query('SELECT pg_advisory_lock($1)', [sharedLock]);
  } catch {
    // It does not respond, or another command is still using it: it stops anyway.
  }
}

function connection(url: string, queryTimeout = 5_000): SessionClient {
  const client = new SessionClient({ connectionString: url, ...connecting, query_timeout: queryTimeout });
  return client.on('error', () => {}); // the server may end first
}
