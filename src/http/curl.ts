import type { ExampleIds } from './examples.js';

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
  return [
    { title: 'Reopen a goal', lines: lines('reopen_goal', { id: ids.goalId, message: 'We are not done yet' }) },
    { title: 'Delete a file', lines: lines('delete_resource_hub_file', { file_id: ids.fileToDeleteId }) },
    {
      title: 'Restore a document version',
      lines: lines('documents/restore_document_version', {
        document_id: ids.documentId,
        version_number: ids.versionToRestore,
        expected_current_version: ids.currentVersion,
      }),
    },
  ];
}

/** An argument as the shell takes it literally, whatever an id or a Host header holds. */
const quoted = (argument: string) =>
  /^[\w.:/-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
