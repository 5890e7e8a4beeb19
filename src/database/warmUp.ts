import type { Database } from './client.js';

/** Runs a query, because Prisma's first one starts its compiler (about 100 ms) and no caller should wait for that. */
export const warmUp = (db: Database): Promise<unknown> =>
  db.apiToken.findFirst({ where: { id: '' }, select: { person: { select: { id: true } } } });
