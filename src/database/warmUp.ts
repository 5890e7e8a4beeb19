import type { Database } from './client.js';

/** Makes the first connection, so that a database that cannot be read is known at once and no caller waits for it. */
export const warmUp = (db: Database): Promise<unknown> => db.$queryRaw`SELECT id FROM companies WHERE id = ''`;
