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

/** What all callers hold, and what of theirs waits. Those that neither hold nor wait for anything are forgotten. */
export class ShareGroups<Item extends { since: number }> {
  readonly #groups = new Map<string, Group<Item>>();
  #taken = 0;
  #given = 0;
  #waiting = 0;
  #waitingGroups = 0;

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get waitingGroups(): number {
    return this.#waitingGroups;
  }

  get all(): ReadonlyMap<string, Group<Item>> {
    return this.#groups;
  }

  /** The company of a caller, and its share in that. */
  of(caller: Caller): [Group<Item>, Share<Item>] {
    const group = this.#groups.get(caller.group) ?? {
      held: 0,
      served: 0,
      waiting: 0,
      queuedSince: undefined,
      shares: new Map<string, Share<Item>>(),
    };
    const share = group.shares.get(caller.id) ?? { caller, held: 0, served: 0, waiting: [] };
    this.#groups.set(caller.group, group);
    group.shares.set(caller.id, share);
    return [group, share];
  }

  give(group: Group<Item>, share: Share<Item>): void {
    this.#taken += 1;
    group.held += 1;
    share.held += 1;
    this.#given += 1;
    group.served = this.#given;
    share.served = this.#given;
  }

  takeBack(group: Group<Item>, share: Share<Item>): void {
    this.#taken -= 1;
    group.held -= 1;
    share.held -= 1;
    this.forgetIdle(group, share);
  }

  enqueue(group: Group<Item>, share: Share<Item>, item: Item): void {
    share.waiting.push(item);
    this.#waiting += 1;
    group.waiting += 1;
    if (group.waiting > 1) return;
    group.queuedSince = item.since;
    this.#waitingGroups += 1;
  }

  /** So many of the share's items do not wait any more. */
  noteRemoved(group: Group<Item>, share: Share<Item>, count: number): void {
    this.#waiting -= count;
    group.waiting -= count;
    if (group.waiting === 0) {
      group.queuedSince = undefined;
      this.#waitingGroups -= 1;
    }
    this.forgetIdle(group, share);
  }

  forgetIdle(group: Group<Item>, { caller, held, waiting }: Share<Item>): void {
    if (held === 0 && waiting.length === 0) group.shares.delete(caller.id);
    if (group.shares.size === 0) this.#groups.delete(caller.group);
  }
}
