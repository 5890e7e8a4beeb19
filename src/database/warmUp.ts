import type { Database } from './query/client.js';

/**
 * Makes the first connection, so that a database that cannot be read is known at once and no caller waits for it. Reads
 * a table that every node of a distributed database has, since one of them may be lost.
 */
export const warmUp = (db: Database): Promise<unknown> =>
  db.$queryRaw`SELECT company_id FROM token_companies WHERE hash = ''`;
