import type { ExampleRequest } from './workedExamples.js';

export interface CurlCommand {
  title: string;
  /** The lines of the command, to join with a space, or with a backslash and a newline. */
  lines: string[];
}

/** One command for each request. Without a token, the commands read it from the shell's `$TOKEN`. */
export function curlCommands(base: string, token: string | undefined, requests: ExampleRequest[]): CurlCommand[] {
  const authorization = token ? `'Authorization: Bearer ${token}'` : '"Authorization: Bearer $TOKEN"';
  return requests.map(({ title, path, body }) => ({
    title,
    lines: [
      `curl -sS ${quoted(`${base}${path}`)}`,
      `-H ${authorization}`,
      "-H 'Content-Type: application/json'",
      `-d ${quoted(shown(body))}`,
    ],
  }));
}

/** Longer bodies are easier to read with one field on each line. */
const longestLine = 60;

/** A body as it stands in a command, below the options. */
function shown(body: object): string {
  const line = JSON.stringify(body);
  return line.length > longestLine ? JSON.stringify(body, null, 2).replaceAll('\n', '\n  ') : line;
}

/** Quotes an argument for the shell, whatever an id or a Host header contains. */
const quoted = (argument: string) =>
  /^[\w.:/-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
