import pg from 'pg';
import { DatabaseError } from '../error.js';
import { PrimaryLocator } from './primaryLocator.js';
import { SessionClient } from './sessionClient.js';
import { reasonOf } from './withTimedClient.js';

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
