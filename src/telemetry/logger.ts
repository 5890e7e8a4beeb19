import { hostname } from 'node:os';
import { type DestinationStream, type Logger, pino } from 'pino';
import { terminalLine } from './terminalLine.js';

/** Logs JSON lines to stderr, every one with `fields`. */
export const createLogger = (
  level: string,
  destination: DestinationStream = logDestination('json'),
  fields: Record<string, unknown> = {},
): Logger => pino({ level, base: { pid: process.pid, hostname: hostname(), ...fields } }, destination);

const ignore = () => {};

/** Bytes to buffer for the reader of a pipe. Further lines are lost, because they would fill the memory. */
const mostWaiting = 2_097_152;

/**
 * Where log lines go: to stderr, as JSON or, by default only in a terminal, as text for people. Lines that cannot be
 * written, because the disk is full or the reader is gone or stalled, are lost: the gateway continues to serve.
 */
export function logDestination(
  format: 'auto' | 'json' | 'pretty',
  stderr: NodeJS.WriteStream = process.stderr,
): DestinationStream {
  if (!stderr.listeners('error').includes(ignore)) stderr.on('error', ignore);
  const write = (line: string) => void (stderr.writableLength < mostWaiting && stderr.write(line));
  if (format === 'json' || (format === 'auto' && !stderr.isTTY)) return { write };
  // Node's own check, which respects NO_COLOR.
  const hasColors = stderr.isTTY && stderr.hasColors();
  return { write: (line) => write(terminalLine(line, hasColors)) };
}
