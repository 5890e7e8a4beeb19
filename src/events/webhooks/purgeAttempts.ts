import { purgeRows } from '../../database/admin/purgeRows.js';
import { Prisma } from '../../database/generated/client/client.js';
import type { Database } from '../../database/query/client.js';

/** Deletes the attempts of more than that many days ago, by the clock of the database. Returns their number. */
export const purgeAttempts = (db: Database, days: number, batch = 1000): Promise<number> =>
  purgeRows(db, {
    table: 'webhook_attempts',
    key: ['id'],
    time: 'attempted_at',
    until: Prisma.sql`now() - make_interval(days => ${days}::integer)`,
    batch,
  });
