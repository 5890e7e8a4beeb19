/** One line for each row, with columns as wide as their widest cell. Only the last cell of a row is not filled up. */
export function aligned(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const fill = (cell: string, column: number) => (column < widths.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell);
  return rows.map((row) => row.map(fill).join('  ')).join('\n');
}
