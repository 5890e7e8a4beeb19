import { hostname } from 'node:os';
import { type DestinationStream, type Logger, pino } from 'pino';
import { currentRequest } from './telemetry/requestRecord.js';
import { terminalLine } from './telemetry/terminalLine.js';

/** Logs JSON lines to stderr. A line written for a request has its id and its trace; every line has `fields`. */
export const createLogger = (
  level: string,
  destination: DestinationStream = pino.destination(2),
  fields: Record<string, unknown> = {},
): Logger => {
  const base = { pid: process.pid, hostname: hostname(), ...fields };
  return pino({ level, base, mixin: () => ({ ...currentRequest.getStore()?.identity }) }, destination);
};

/** Where log lines go: to stderr, as JSON or, by default only in a terminal, as text for people. */
export function logDestination(
  format: 'auto' | 'json' | 'pretty',
  stderr: NodeJS.WriteStream = process.stderr,
): DestinationStream {
  if (format === 'json' || (format === 'auto' && !stderr.isTTY)) return pino.destination(2);
  // Node's own answer, which knows NO_COLOR.
  const hasColors = stderr.isTTY && stderr.hasColors();
  return { write: (line) => void stderr.write(terminalLine(line, hasColors)) };
}
