import type { Caller } from './caller.js';
import { leastHeld, mostOf } from './holders.js';
import { RecentCallers } from './recentCallers.js';
import { type Group, type Share, ShareGroups } from './shareGroups.js';

/** Something that waits for a slot. */
interface Waiting {
  /** When it came, in milliseconds. */
  since: number;
}

export interface Removed<Item> {
  item: Item;
  /** Whether its caller holds its part of the slots: then it waits because of its own others. */
  hasPart: boolean;
}

/**
 * Slots that callers share. A free slot goes to the company that holds fewest, and in it to the token that holds
 * fewest, in turn where they are equal. Whoever is alone may hold all slots. As slots cannot be taken back, nobody may
 * hold more than are free for a while after somebody else has held one: half of them if nobody else does, and a third of
 * them if one other does, so that the next one who comes finds a free slot.
 */
export class Shares<Item extends Waiting> {
  readonly #slots: number;
  readonly #mostOf: (group: string) => number;
  readonly #groups = new ShareGroups<Item>();
  readonly #recent: RecentCallers;

  /** `mostOf` is how many slots a company may hold while other companies ask, because of what it uses. */
  constructor(slots: number, now = () => performance.now(), mostOf = (_group: string) => Number.POSITIVE_INFINITY) {
    this.#slots = slots;
    this.#recent = new RecentCallers(now);
    this.#mostOf = mostOf;
  }

  get taken(): number {
    return this.#groups.taken;
  }

  get waiting(): number {
    return this.#groups.waiting;
  }

  /** How many companies wait. */
  get waitingGroups(): number {
    return this.#groups.waitingGroups;
  }

  /** Whether only one company has a slot or waits for one. */
  get isOneGroup(): boolean {
    return this.#groups.all.size <= 1;
  }

  /** Takes a slot. Returns false if there is none for this caller now. */
  take(caller: Caller): boolean {
    const [group, share] = this.#groups.of(caller);
    if (share.waiting.length > 0 || !this.#mayTake(group, share)) {
      this.#groups.forgetIdle(group, share);
      return false;
    }
    this.#groups.give(group, share);
    return true;
  }

  wait(caller: Caller, item: Item): void {
    this.#groups.enqueue(...this.#groups.of(caller), item);
  }

  /** Gives a slot back. `known` is who the caller has turned out to be meanwhile. */
  leave(caller: Caller, known = caller): void {
    this.#recent.note(known);
    this.#groups.takeBack(...this.#groups.of(caller));
  }

  /** Gives a free slot to whoever is next. Returns undefined if nobody waits who may have one. */
  next(): Item | undefined {
    const group = leastHeld(this.#groups.all.values(), (each) => [...each.shares.values()].some(this.#isNextIn(each)));
    const share = group && leastHeld(group.shares.values(), this.#isNextIn(group));
    if (!group || !share) return undefined;
    // Of many the newest, so that what is served has hardly waited.
    const item = share.waiting.length > this.#slots ? share.waiting.pop() : share.waiting.shift();
    this.#groups.give(group, share);
    this.#groups.noteRemoved(group, share, 1);
    return item;
  }

  /** Removes what came before the moment that holds for its company. */
  removeOlder(momentOf: (queuedSince: number) => number): Removed<Item>[] {
    const removed: Removed<Item>[] = [];
    for (const group of this.#groups.all.values()) {
      if (group.queuedSince === undefined) continue;
      const moment = momentOf(group.queuedSince);
      for (const share of group.shares.values()) {
        const kept = share.waiting.findIndex(({ since }) => since > moment);
        const old = share.waiting.splice(0, kept < 0 ? share.waiting.length : kept);
        if (old.length === 0) continue;
        const hasPart = this.#hasPart(group, share);
        removed.push(...old.map((item) => ({ item, hasPart })));
        this.#groups.noteRemoved(group, share, old.length);
      }
    }
    return removed;
  }

  /** Removes the oldest of the caller for whom most wait. */
  removeFromLongest(): Removed<Item> | undefined {
    const group = mostOf(this.#groups.all.values(), ({ waiting }) => waiting);
    const share = group && mostOf(group.shares.values(), ({ waiting }) => waiting.length);
    const item = share?.waiting.shift();
    if (!group || !share || !item) return undefined;
    const hasPart = this.#hasPart(group, share);
    this.#groups.noteRemoved(group, share, 1);
    return { item, hasPart };
  }

  /** Whether a company holds all that it may because of what it uses, while other companies ask. */
  isLimited(caller: Caller): boolean {
    const { held = 0 } = this.#groups.all.get(caller.group) ?? {};
    return this.#recent.hasOtherCompany(caller) && held >= this.#mostOf(caller.group);
  }

  readonly #isNextIn = (group: Group<Item>) => (share: Share<Item>) =>
    share.waiting.length > 0 && this.#mayTake(group, share);

  #mayTake(group: Group<Item>, { caller, held }: Share<Item>): boolean {
    const free = this.#slots - this.taken;
    if (free <= 0 || this.isLimited(caller)) return false;
    return (
      (held < free || !this.#recent.hasOtherThan(caller)) && (group.held < free || !this.#recent.hasOutside(caller))
    );
  }

  #hasPart({ shares }: Group<Item>, { caller, held }: Share<Item>): boolean {
    if (this.isLimited(caller)) return true;
    return held >= Math.max(1, Math.floor(this.#slots / this.#groups.all.size / shares.size));
  }
}
