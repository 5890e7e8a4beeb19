import { AggregatorRegistry } from 'prom-client';
import type { Figures, ReadMetrics } from './metrics.js';

/**
 * The metrics of several processes, added up. The counts of a process remain when it exits: a counter that decreases
 * would look like a restart of all of them.
 */
export class SumOfMetrics {
  readonly #latest = new Map<number, Figures>();
  #ended: Figures = [];

  /** Records what a process has counted so far. */
  note(process: number, figures: Figures): void {
    this.#latest.set(process, figures);
  }

  /** The process has exited. Its gauges, such as its memory, are dropped; its counts remain. */
  async end(process: number): Promise<void> {
    const counted = this.#latest.get(process)?.filter(({ type }) => ['counter', 'histogram'].includes(`${type}`)) ?? [];
    this.#latest.delete(process);
    this.#ended = await add([this.#ended, counted]).getMetricsAsJSON();
  }

  async read(): Promise<ReadMetrics> {
    const sum = add([...this.#latest.values(), this.#ended]);
    return { text: await sum.metrics(), contentType: sum.contentType };
  }
}

const add = (all: Figures[]) => AggregatorRegistry.aggregate(all);
