import { type ExampleIds, requests } from './examples.js';

export interface CurlCommand {
  title: string;
  /** The command's lines, to be joined with a space, or with a backslash and a new line. */
  lines: string[];
}

/** One command for each operation of the REST facade; without a token they take it from the shell's `$TOKEN`. */
export function curlCommands(base: string, token: string | undefined, ids: ExampleIds): CurlCommand[] {
  const authorization = token ? `'Authorization: Bearer ${token}'` : '"Authorization: Bearer $TOKEN"';
  const lines = (path: string, body: object) => [
    `curl -sS ${quoted(`${base}/api/external/v1/${path}`)}`,
    `-H ${authorization}`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(body))}`,
  ];
  return requests(ids).map(({ title, path, body }) => ({ title, lines: lines(path, body) }));
}

/** An argument as the shell takes it literally, whatever an id or a Host header holds. */
const quoted = (argument: string) =>
  /^[\w.:/-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
