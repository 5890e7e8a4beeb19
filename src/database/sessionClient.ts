import { Client } from 'pg';

declare module 'pg' {
  interface Client {
    /** The settings of the session, as the start-up message names them. The types of `pg` leave it out. */
    getStartupConf(): Record<string, string>;
  }
}

/**
 * A connection that reads and writes times in UTC and ISO 8601, as Prisma's adapter takes for granted, whatever server,
 * database, role and URL prefer. The start-up message says so: nothing has a higher rank, and PgBouncer keeps both
 * settings for each of its clients.
 */
export class SessionClient extends Client {
  override getStartupConf(): Record<string, string> {
    return { ...super.getStartupConf(), TimeZone: 'UTC', DateStyle: 'ISO' };
  }
}
