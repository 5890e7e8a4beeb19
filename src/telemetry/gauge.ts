import { Gauge, type Registry } from 'prom-client';

interface GaugeOptions {
  name: string;
  help: string;
  /** Has a value for each value of this label. */
  label?: string;
  /** How to combine the values of several processes, which are added up if it is omitted. */
  aggregator?: 'min' | 'max';
}

/** Adds a gauge, which is read whenever the metrics are: one value, or one for each value of its label. */
export function addGauge(
  registry: Registry,
  { label, ...options }: GaugeOptions,
  read: () => number | Readonly<Record<string, number>>,
): void {
  new Gauge({
    ...options,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    collect() {
      this.reset();
      const values = read();
      if (typeof values === 'number') this.set(values);
      else for (const [each, value] of Object.entries(values)) this.set({ [label ?? '']: each }, value);
    },
  });
}
