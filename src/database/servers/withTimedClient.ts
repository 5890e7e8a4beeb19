import type { ClientConfig } from 'pg';
import { SessionClient } from './sessionClient.js';

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
