import { hostname } from 'node:os';
import { inspect, styleText } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';

/** Escapes characters that could control a terminal, end a line or look like another column. */
export const printable = (text: string): string =>
  text.replaceAll(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

type Color = 'red' | 'green' | 'yellow' | 'cyan' | 'gray';

const levels: Record<number, [name: string, color: Color]> = {
  10: ['TRACE', 'gray'],
  20: ['DEBUG', 'gray'],
  30: ['INFO', 'green'],
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};

/** What a terminal has no room for. */
const hidden = ['pid', 'hostname', 'operationName', 'tokenId', 'traceId', 'spanId', 'client'];

/** Callers choose ids and paths, and errors quote them. */
const shown = (value: unknown = ''): string =>
  printable(typeof value === 'string' ? value : inspect(value, { breakLength: Number.POSITIVE_INFINITY }));

/** A log line for people who read it in a terminal. */
export function terminalLine(line: string, hasColors: boolean): string {
  const paint = (color: Color, text: string) =>
    hasColors && text ? styleText(color, text, { validateStream: false }) : text;
  const { level, time, msg = '', err, ...fields }: Record<string, unknown> = JSON.parse(line);
  for (const name of hidden) delete fields[name];
  const [name, color] = levels[Number(level)] ?? ['', 'gray'];
  const parts = msg === 'request' ? requestParts(fields, paint) : [paint(color, name.padEnd(5)), shown(msg)];
  const others = Object.entries(fields).map(([field, value]) => `${field}=${shown(value)}`);
  const { stack } = (err ?? {}) as { stack?: string };
  const below = stack === undefined ? [] : stack.split('\n').map((each) => `\n    ${shown(each)}`);
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  return `${[paint('gray', clock), ...parts, paint('gray', others.join(' '))].filter(Boolean).join(' ')}${below.join('')}\n`;
}

/** What matters of a request, in columns; takes from the fields what it shows, or leaves out. */
function requestParts(fields: Record<string, unknown>, paint: (color: Color, text: string) => string): string[] {
  const take = (name: string): unknown => {
    const value = fields[name];
    delete fields[name];
    return value;
  };
  const [status, codes, requestId] = [take('status') as number | undefined, take('codes'), take('requestId')];
  const [path, operation, person, company] = ['path', 'operation', 'personId', 'companyId'].map((name) =>
    shown(take(name)),
  );
  const color = !status || status >= 500 ? 'red' : status >= 400 || codes ? 'yellow' : 'green';
  return [
    paint(color, String(status ?? '---')),
    shown(take('method')).padEnd(4),
    `${Number(take('milliseconds')).toFixed(1)} ms`.padStart(10),
    `${shown(take('statements'))} SQL`.padStart(7),
    path ?? '',
    // Other paths already name their operation.
    paint('cyan', /^\/graphql\/?$/.test(path ?? '') ? (operation ?? '') : ''),
    paint(color, Array.isArray(codes) ? codes.join(' ') : ''),
    person ? `${person}@${company}` : '',
    // Clients report the id of a failed request. For others, the id would make the line too long for a terminal.
    paint('gray', color === 'green' ? '' : shown(requestId)),
  ];
}

/** Logs JSON lines to stderr. */
export const createLogger = (level: string, destination: DestinationStream = logDestination('json')): Logger =>
  pino({ level, base: { pid: process.pid, hostname: hostname() } }, destination);

const ignore = () => {};

/** Bytes to buffer for the reader of a pipe. Further lines are lost, because they would fill the memory. */
const mostWaiting = 2_097_152;

/** Where log lines go: stderr, as JSON or, in a terminal, for people. Lines that cannot be written are lost. */
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
