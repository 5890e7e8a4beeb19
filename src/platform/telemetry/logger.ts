import { hostname } from 'node:os';
import { inspect } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';

/** Escapes characters that could control a terminal, end a line or look like another column. */
export const printable = (text: string): string =>
  text.replaceAll(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

const colors = { red: 31, green: 32, yellow: 33, cyan: 36, gray: 90 } as const;

const levels: Record<number, [name: string, color: keyof typeof colors]> = {
  10: ['TRACE', 'gray'],
  20: ['DEBUG', 'gray'],
  30: ['INFO', 'green'],
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};

type Paint = (color: keyof typeof colors, text: string) => string;
type Fields = Record<string, unknown>;

/** A log line for people who read it in a terminal. */
export function terminalLine(line: string, hasColors: boolean): string {
  const { level, time, pid: _pid, hostname: _hostname, msg = '', ...fields }: Fields = JSON.parse(line);
  const paint: Paint = (color, text) => (hasColors && text ? `\x1b[${colors[color]}m${text}\x1b[39m` : text);
  const clock = paint('gray', new Date(Number(time)).toTimeString().slice(0, 8));
  const [name, color] = levels[Number(level)] ?? ['', 'gray'];
  const text = msg === 'request' ? requestText(fields, paint) : otherText(String(msg), fields, paint);
  return `${clock} ${msg === 'request' ? '' : `${paint(color, name.padEnd(5))} `}${text}\n`;
}

function requestText(fields: Fields, paint: Paint): string {
  const { status, method, path, operation, milliseconds, statements, requestId, personId, companyId, ...others } =
    fields;
  const {
    operationName: _name,
    tokenId: _token,
    traceId: _trace,
    spanId: _span,
    client: _client,
    codes,
    ...rest
  } = others;
  const code = Number(status ?? 0);
  const color = code === 0 || code >= 500 ? 'red' : code >= 400 || codes ? 'yellow' : 'green';
  const isFailed = code === 0 || code >= 400 || codes !== undefined;
  const shown = [
    paint(color, String(status ?? '---')),
    shownAs(method).padEnd(4),
    `${Number(milliseconds).toFixed(1)} ms`.padStart(10),
    `${shownAs(statements)} SQL`.padStart(7),
    shownAs(path),
    // Other paths already name their operation.
    paint('cyan', /^\/graphql\/?$/.test(shownAs(path)) ? shownAs(operation) : ''),
    paint(color, Array.isArray(codes) ? codes.join(' ') : ''),
    personId ? `${shownAs(personId)}@${shownAs(companyId)}` : '',
    // Clients report the id of a failed request. For other requests, the id would make the line too long for a terminal.
    paint('gray', [...(isFailed ? [shownAs(requestId)] : []), ...listed(rest)].join(' ')),
  ];
  return shown.filter((part) => part !== '').join(' ');
}

function otherText(message: string, { err, ...fields }: Fields, paint: Paint): string {
  const { stack } = (err ?? {}) as { stack?: unknown };
  const below = stack
    ? String(stack)
        .split('\n')
        .map((line) => `\n    ${shownAs(line)}`)
    : [];
  const text = [shownAs(message), paint('gray', listed(fields).join(' '))].filter(Boolean).join(' ');
  return text + below.join('');
}

const listed = (fields: Fields) => Object.entries(fields).map(([name, value]) => `${name}=${shownAs(value)}`);

/** Callers choose ids and paths, and errors quote them: characters that could control the terminal are escaped. */
function shownAs(value: unknown = ''): string {
  const text = typeof value === 'string' ? value : inspect(value, { breakLength: Number.POSITIVE_INFINITY });
  return printable(text);
}

/** Logs JSON lines to stderr. */
export const createLogger = (level: string, destination: DestinationStream = logDestination('json')): Logger =>
  pino({ level, base: { pid: process.pid, hostname: hostname() } }, destination);

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
