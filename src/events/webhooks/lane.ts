import type { Attempt } from './record.js';
import type { Item } from './taken.js';

/** What is sent of one record, one after the other, and how far that has come. */
export interface Lane {
  record: string;
  items: readonly Item[];
  /** How many items are settled: acknowledged, given up, or of a draft. */
  settled: number;
  /** What became of the item after those. */
  current: 'unsent' | 'running' | 'failed';
  /** The sequence of the last event that was begun to be sent; 0 for none. */
  begun: number;
  /** Whether it was recorded while a request ran. Then it ends with that request. */
  isPutAside: boolean;
  /** Those that are not recorded yet. */
  attempts: Attempt[];
  ended: Promise<void>;
}

/** One lane for each record, in the order of their first items. */
export function lanesOf(items: readonly Item[]): Lane[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.record);
    if (group) group.push(item);
    else groups.set(item.record, [item]);
  }
  return [...groups].map(([record, group]) => ({
    record,
    items: group,
    settled: 0,
    current: 'unsent',
    begun: 0,
    isPutAside: false,
    attempts: [],
    ended: Promise.resolve(),
  }));
}

export const currentOf = ({ items, settled }: Lane): Item | undefined => items[settled];

export const sequenceOf = (item: Item | undefined): number => item?.event?.sequence ?? 0;
