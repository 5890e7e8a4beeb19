import type { ExampleRequest } from './workedExamples.js';

export interface CurlCommand {
  title: string;
  /** The command's lines, to be joined with a space, or with a backslash and a new line. */
  lines: string[];
}

/** One command for each request; without a token they take it from the shell's `$TOKEN`. */
export function curlCommands(base: string, token: string | undefined, requests: ExampleRequest[]): CurlCommand[] {
  const authorization = token ? `'Authorization: Bearer ${token}'` : '"Authorization: Bearer $TOKEN"';
  return requests.map(({ title, path, body }) => ({
    title,
    lines: [
      `curl -sS ${quoted(`${base}${path}`)}`,
      `-H ${authorization}`,
      "-H 'Content-Type: application/json'",
      `-d ${quoted(JSON.stringify(body))}`,
    ],
  }));
}

/** An argument as the shell takes it literally, whatever an id or a Host header holds. */
const quoted = (argument: string) =>
  /^[\w.:/-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
