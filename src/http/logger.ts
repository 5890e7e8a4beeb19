import { type DestinationStream, type Logger, pino } from 'pino';
import { currentRequest } from './requestId.js';

/** Logs JSON lines to stderr. A line written for a request has its id and the caller's trace. */
export const createLogger = (level: string, destination: DestinationStream = pino.destination(2)): Logger =>
  pino({ level, mixin: () => ({ ...currentRequest.getStore() }) }, destination);
