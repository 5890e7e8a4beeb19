import { printable } from '../platform/telemetry/index.js';

/** A text of several lines, with columns: all else that could control a terminal is escaped. */
export const printableText = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.split('\t').map(printable).join('\t'))
    .join('\n');

export const print = (text: string): void => console.log(printableText(text));

export const printError = (text: string): void => console.error(printableText(text));

/** The first of them, and how many more there are. */
export const listed = (items: readonly string[], most = 3): string =>
  [...items.slice(0, most), ...(items.length > most ? [`and ${items.length - most} more`] : [])].join(', ');

/** One line for each row, with columns as wide as their widest cell. Only the last cell of a row is not filled up. */
export function aligned(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const fill = (cell: string, column: number) => (column < widths.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell);
  return rows.map((row) => row.map(fill).join('  ')).join('\n');
}

/** Prints for programs: JSON, in which what could control a terminal is escaped as JSON does. */
export const printJson = (value: unknown): void =>
  console.log(
    JSON.stringify(value, null, 2).replaceAll(/[^\P{C}\n]/gu, (character) =>
      Array.from(
        { length: character.length },
        (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
      ).join(''),
    ),
  );
