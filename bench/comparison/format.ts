export const unique = <Item>(items: Item[]) => [...new Set(items)];

export const median = (values: number[]): number => {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const [high = Number.NaN, low = Number.NaN] = [sorted[middle], sorted[middle - 1]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
};

export const fixed = (value: number) => (Number.isNaN(value) ? '–' : value.toFixed(value < 10 ? 2 : 0));

/** The median, with the lowest and the highest in brackets. */
export const spread = (values: number[]) =>
  values.length === 0 ? '–' : `${fixed(median(values))} (${fixed(Math.min(...values))}–${fixed(Math.max(...values))})`;

const row = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;

/** A table in Markdown. */
export const table = (head: string[], rows: string[][]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
