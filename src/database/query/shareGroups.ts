import type { Caller } from './caller.js';

/** What one caller holds, and what of it waits. */
export interface Share<Item> {
  caller: Caller;
  held: number;
  /** Which of all slots given was its last; 0 before the first. */
  served: number;
  waiting: Item[];
}

/** The same of all callers of one company. */
export interface Group<Item> {
  held: number;
  served: number;
  waiting: number;
  /** Since when something has been waiting without a break. */
  queuedSince: number | undefined;
  shares: Map<string, Share<Item>>;
}

export const newGroup = <Item>(): Group<Item> => ({
  held: 0,
  served: 0,
  waiting: 0,
  queuedSince: undefined,
  shares: new Map(),
});

/** The share of a caller in its group. */
export function callerShare<Item>({ shares }: Group<Item>, caller: Caller): Share<Item> {
  const known = shares.get(caller.id);
  if (known) return known;
  const share = { caller, held: 0, served: 0, waiting: [] };
  shares.set(caller.id, share);
  return share;
}
