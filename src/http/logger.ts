import { type DestinationStream, type Logger, pino } from 'pino';
import { running } from './requestId.js';

/** JSON lines; each carries the id, and the caller's trace, of the request it was written for. */
export const createLogger = (level: string, destination: DestinationStream = pino.destination(2)): Logger =>
  pino({ level, mixin: () => ({ ...running.getStore() }) }, destination);
