/** One figure of the metrics. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The figures in the text format of Prometheus. */
export function samplesIn(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!name) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:\\.|[^"\\])*)"/g)].map(([, label = '', text = '']) => [label, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** The sum of a metric over all its samples that have these labels. */
export const sumOf = (samples: Sample[], name: string, labels: Record<string, string> = {}) =>
  samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
