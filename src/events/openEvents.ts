import type { Logger } from 'pino';
import { type Database, openClient } from '../database/query/client.js';
import type { DatabaseTimeouts } from '../database/query/pool.js';
import { Pump } from './pump.js';

/** Connections of a process for its events: none of a request, and few enough that nobody notices. */
const eventConnections = 3;

interface EventsOptions {
  url: string;
  preparedStatements: boolean;
  timeouts: DatabaseTimeouts;
}

export interface Events {
  /** For everything that events need outside of requests. */
  db: Database;
  pump: Pump;
  close(): Promise<void>;
}

/** Opens what numbers and delivers events while this process serves. It connects when it is started. */
export function openEvents(options: EventsOptions, logger: Logger): Events {
  const onError = (error: Error) => logger.info(`a database connection broke: ${error.message}`);
  const db = openClient({ ...options, poolSize: eventConnections, onError });
  const pump = new Pump(db, logger);
  const close = async () => {
    pump.stop();
    await db.$disconnect();
  };
  return { db, pump, close };
}
